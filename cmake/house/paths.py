"""No file names a place of one machine. Usage: paths.py ROOT"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
# Spelled in parts, so that this file does not name them.
places = ["/" + "work/", "/" + "root/", "/" + "tmp/", "/" + "home/", "../" + "shared"]
pattern = re.compile(r"(?<![\w.])(" + "|".join(re.escape(p) for p in places) + ")")
try:
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True)
except FileNotFoundError:   # no git on this machine
    listing = None
if listing is None or listing.returncode:   # an unpacked archive: everything there but builds
    names = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and "build" not in p.parts]
else:
    names = [n for n in listing.stdout.decode().split("\0") if n]
wrong = []
for name in names:
    path = root / name
    if not path.is_file() or path.suffix in (".safetensors", ".png"):
        continue
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if pattern.search(line):
            wrong.append(f"{name}:{number}: {line.strip()[:100]}")
print("\n".join(wrong) or f"{len(names)} files")
sys.exit(bool(wrong))
