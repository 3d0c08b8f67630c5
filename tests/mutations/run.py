"""Empties one op's derivative at a time and expects a test to fail.

Usage: run.py [--compiler g++] [--jobs N] [--minutes M] [OP...]
For every expr/ops/*.hpp with a derivative (adjoint, open, or what both call), a copy with an empty body shadows the file, and the
tests named in tests.txt, in that order, are built against it until one fails. A mutation that all of them survive is an error.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
ops = root / "include" / "dyadic" / "expr" / "ops"

parser = argparse.ArgumentParser()
parser.add_argument("--compiler", default="g++")
parser.add_argument("--jobs", type=int, default=os.cpu_count())
parser.add_argument("--minutes", type=float, default=90)
parser.add_argument("only", nargs="*")
options = parser.parse_args()
deadline = time.monotonic() + 60 * options.minutes
tests = [root / "tests" / line for line in (here / "tests.txt").read_text().split("\n") if line and not line.startswith("#")]
eigen = next((p for p in ["/usr/include/eigen3", "/usr/local/include/eigen3"] if pathlib.Path(p).is_dir()), "/usr/include")


def emptied(text, start):
    """The text with the body that begins at the first brace after `start` emptied, and how it read."""
    begin = text.index("{", start)
    depth, at = 0, begin
    while True:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return text[:begin] + "{}" + text[at:], text[begin:at]


def mutations():
    for path in sorted(ops.glob("*.hpp")):
        text = path.read_text()
        for match in re.finditer(r"static constexpr void (adjoint|open)\(gradient&", text):
            mutant, body = emptied(text, match.start())
            if body.strip("{} \n") and (not options.only or path.stem in options.only):
                yield path.stem, match.group(1), mutant


def build_and_run(test, shadow, work):
    """None when it does not compile; else whether it passes."""
    program = work / test.stem
    command = [options.compiler, "-std=c++20", "-O1", "-w", "-I", shadow, "-I", root / "include", "-I", root / "tests", "-isystem", eigen,
               f'-DDYADIC_TEST_DATA="{root}/tests/data"', test, main_object, "-o", program, "-pthread"]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        print(built.stderr[:2000])
        return None
    try:
        return subprocess.run([program], capture_output=True, timeout=600).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def judge(mutation):
    op, what, text = mutation
    if time.monotonic() > deadline:
        return op, what, "not run: out of time"
    with tempfile.TemporaryDirectory() as folder:
        shadow = pathlib.Path(folder) / "include"
        target = shadow / "dyadic" / "expr" / "ops" / f"{op}.hpp"
        target.parent.mkdir(parents=True)
        target.write_text(text)
        for test in tests:
            passed = build_and_run(test, shadow, pathlib.Path(folder))
            if passed is None:
                return op, what, f"caught: {test.name} does not compile"   # a static_assert can be what notices
            if not passed:
                return op, what, f"caught by {test.name}"
    return op, what, "SURVIVED"


with tempfile.TemporaryDirectory() as common:
    main_object = pathlib.Path(common) / "main.o"
    subprocess.run([options.compiler, "-std=c++20", "-O1", "-c", root / "tests" / "support" / "main.cpp", "-o", main_object], check=True)
    untouched = pathlib.Path(common) / "none"
    for test in tests:
        if not build_and_run(test, untouched, pathlib.Path(common)):
            sys.exit(f"{test}: fails without any mutation")
    survived = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for op, what, verdict in pool.map(judge, list(mutations())):
            print(f"{op:22} {what:8} {verdict}", flush=True)
            survived += verdict == "SURVIVED"
            skipped += verdict.startswith("not run")
print(f"{survived} survived, {skipped} not run")
sys.exit(bool(survived))
