"""tests/ mirrors include/dyadic/: every folder there has tests here. Usage: tree.py ROOT"""
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
wrong = []
for folder in sorted(p for p in (root / "include" / "dyadic").iterdir() if p.is_dir()):
    tests = root / "tests" / folder.name
    if any(folder.rglob("*.hpp")) and not any(tests.rglob("*.cpp")):
        wrong.append(f"include/dyadic/{folder.name}/ has no tests in tests/{folder.name}/")
print("\n".join(wrong) or "every layer has its tests")
sys.exit(bool(wrong))
