"""Headers are short: median at most 120 lines, none over 500; no line over 140 characters. Usage: lengths.py ROOT"""
import pathlib
import statistics
import sys

root = pathlib.Path(sys.argv[1])
wrong, lengths = [], []
for path in sorted((root / "include").rglob("*.hpp")):
    lines = path.read_text().splitlines()
    lengths.append(len(lines))
    name = path.relative_to(root)
    if len(lines) > 500:
        wrong.append(f"{name}: {len(lines)} lines")
    wrong += [f"{name}:{i}: {len(line)} characters" for i, line in enumerate(lines, 1) if len(line) > 140]
median = statistics.median(lengths)
if median > 120:
    wrong.append(f"the median is {median} lines")
print("\n".join(wrong) or f"{len(lengths)} headers, median {median} lines, longest {max(lengths)}")
sys.exit(bool(wrong))
