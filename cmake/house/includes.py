"""Includes point only down the layers, or within one. Usage: includes.py ROOT"""
import pathlib
import re
import sys

CORE = ["axes", "tensor", "expr", "graph"]
DOWN = CORE + ["plan", "passes"]   # plan/ is plain data that the passes fill
ENGINES = DOWN + ["cpu", "exec"]
MAY_INCLUDE = {
    "axes": CORE[:1], "tensor": CORE[:2], "expr": CORE[:3], "graph": CORE,
    "plan": CORE + ["plan"], "passes": DOWN,
    "cpu": DOWN + ["cpu"], "cuda": DOWN + ["cuda"], "exec": ENGINES + ["cuda"],
    "nn": CORE + ["nn"], "models": CORE + ["nn", "models"],
}
for leaf in ["train", "decode", "io", "interop"]:
    MAY_INCLUDE[leaf] = ENGINES + ["nn", "models", leaf]

root = pathlib.Path(sys.argv[1]) / "include" / "dyadic"
wrong = []
for path in sorted(root.rglob("*.hpp")):
    inside = path.relative_to(root)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        quoted = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not quoted:
            continue
        where = f"{inside}:{number}: "
        target = quoted.group(1)
        if not target.startswith("dyadic/"):
            wrong.append(where + f'"{target}" does not start with dyadic/')
            continue
        if not (root.parent / target).exists():
            wrong.append(where + f"{target} does not exist")
        if len(inside.parts) == 1:      # the public headers at the top gather whatever they name
            continue
        layer, parts = inside.parts[0], target.split("/")
        if target == "dyadic/version.hpp":
            continue
        if layer not in MAY_INCLUDE:
            wrong.append(where + f"the folder {layer}/ has no place in the order")
        elif len(parts) == 2 or parts[1] not in MAY_INCLUDE[layer]:
            wrong.append(where + f"{layer}/ may not include {target}")
    text = path.read_text()
    if "#pragma once" not in text:
        wrong.append(f"{inside}: no #pragma once")
    if not text.startswith("//"):
        wrong.append(f"{inside}: does not begin with a comment that says what it is")
print("\n".join(wrong) or "every include points down")
sys.exit(bool(wrong))
