"""tests/ mirrors include/dyadic/: every folder there has tests here, in a folder of its name or of the name of something in it (tests/ops
for expr/ops/, tests/live for exec/live.hpp). Usage: tree.py ROOT"""
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
wrong = []
for folder in sorted(p for p in (root / "include" / "dyadic").iterdir() if p.is_dir()):
    names = {folder.name} | {p.stem for p in folder.iterdir()}
    if any(folder.rglob("*.hpp")) and not any(any((root / "tests" / n).rglob("*.cpp")) for n in names):
        wrong.append(f"include/dyadic/{folder.name}/ has no tests in tests/{folder.name}/")
print("\n".join(wrong) or "every layer has its tests")
sys.exit(bool(wrong))
