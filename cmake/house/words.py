"""A model is only its equations: no word of decoding, caches or backward passes in models/. Usage: words.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]) / "include" / "dyadic" / "models"
wrong = []
for path in sorted(root.rglob("*.hpp")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for word in re.findall(r"decod\w*|cache\w*|backward\w*", line, re.IGNORECASE):
            wrong.append(f"models/{path.relative_to(root)}:{number}: '{word}'")
print("\n".join(wrong) or "models speak of models only")
sys.exit(bool(wrong))
