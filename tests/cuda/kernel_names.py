"""Names of kernels are at most 512 characters long. Usage: kernel_names.py OBJECT..."""
import pathlib
import re
import sys

names = set()
for path in sys.argv[1:]:
    names |= {m.decode() for m in re.findall(rb"\.entry ([A-Za-z0-9_$]+)", pathlib.Path(path).read_bytes())}
long = sorted((n for n in names if len(n) > 512), key=len)
for n in long:
    print(f"{len(n)} characters: {n}")
if not names:
    print("no kernel found")
print(f"{len(names)} kernels, the longest name has {max(map(len, names), default=0)} characters")
sys.exit(bool(long) or not names)
