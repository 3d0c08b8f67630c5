#!/usr/bin/env python3
"""Compile cost as counts, which a busy machine does not change, against recorded ones.

counts.py [--record] [--quick] [--compilers "g++ clang++"]

  instantiations   templates that clang instantiates (events of -ftime-trace) for the constant part and for the whole program
  steps            steps of clang's largest constant evaluation: the record is found by bisection; a check compiles once with a limit
  functions, text  functions that g++ emits for the program at -O1, and bytes of .text
  peak_mb          largest memory of the compiler

96 layers must cost what 12 do. --quick leaves out the whole program. --record writes baseline.json anew.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BASELINE = HERE / "baseline.json"
TOLERANCE = {"instantiations": 0.10, "steps": 0.15, "functions": 0.10, "text": 0.20, "peak_mb": 0.25}
FLAGS = ["-std=c++20", "-I", str(ROOT / "include"), "-x", "c++"]


def run(command):
    """Exit status, and peak memory in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss // 1024, errors


def must(command):
    status, peak, errors = run(command)
    if status:
        sys.exit(f"{' '.join(command)}\n{errors[:2000]}")
    return peak


def instantiations(source, layers, folder):
    out = folder / "trace.o"
    peak = must(["clang++", *FLAGS, f"-DLAYERS={layers}", str(source), "-c", "-O0", "-o", str(out), "-ftime-trace",
                 "-ftime-trace-granularity=0"])
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    return sum(e["name"] in ("InstantiateClass", "InstantiateFunction") for e in events), peak


def fits(source, layers, steps):
    return run(["clang++", *FLAGS, f"-DLAYERS={layers}", str(source), "-fsyntax-only", f"-fconstexpr-steps={steps}"])[0] == 0


def find_steps(source, layers):
    low, high = 1000, 1 << 20
    if not fits(source, layers, high):
        sys.exit(f"{source.name} exceeds clang's default limit of {high} steps")
    while high > low * 1.03:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(source, layers, middle) else (middle, high)
    return high


def emitted(source, layers, folder):
    out = folder / "program.o"
    peak = must(["g++", *FLAGS, f"-DLAYERS={layers}", str(source), "-c", "-O1", "-o", str(out)])
    names = subprocess.run(["nm", "--defined-only", str(out)], capture_output=True, text=True, check=True).stdout
    functions = sum(len(f) == 3 and f[1] in "TtWw" for f in map(str.split, names.splitlines()))
    sections = subprocess.run(["size", "-A", str(out)], capture_output=True, text=True, check=True).stdout
    text = sum(int(f[1]) for f in map(str.split, sections.splitlines()) if f and f[0].startswith(".text"))
    return functions, text, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if not shutil.which("clang++"):
        print("skipped: no clang++ to count with")
        return 0
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    graph, program = HERE / "graph.inc", HERE / "program.inc"
    found, wrong = {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for layers in (12, 96):
            count, peak = instantiations(graph, layers, folder)
            found[f"graph.{layers}.instantiations"] = count
            found[f"graph.{layers}.peak_mb"] = peak
            key = f"graph.{layers}.steps"
            if options.record or key not in known:
                found[key] = find_steps(graph, layers)
            else:
                limit = int(known[key] * (1 + TOLERANCE["steps"]))
                found[key] = known[key] if fits(graph, layers, limit) else limit + 1
        if not options.quick:
            for layers in (12, 96):
                count, peak = instantiations(program, layers, folder)
                found[f"program.{layers}.instantiations"] = count
                found[f"program.{layers}.peak_mb"] = peak
                functions, text, peak = emitted(program, layers, folder)
                found[f"program.{layers}.functions"] = functions
                found[f"program.{layers}.text"] = text
                found[f"program.{layers}.gcc.peak_mb"] = peak
    for key, value in found.items():
        kind = key.rsplit(".", 1)[1]
        if not options.record and key in known and value > known[key] * (1 + TOLERANCE[kind]):
            wrong.append(f"{key} is {value}, recorded was {known[key]}")
        if ".96." in key and kind != "peak_mb":
            twelve = found[key.replace(".96.", ".12.")]
            if abs(value - twelve) > 0.01 * twelve + 2 and not (kind == "steps" and abs(value - twelve) < 0.05 * twelve):
                wrong.append(f"{key} is {value}, with 12 layers it is {twelve}")
        print(f"{key:32} {value:10}" + (f"   recorded {known[key]}" if key in known else ""))
    if options.record:
        BASELINE.write_text(json.dumps(known | found, indent=1) + "\n")
    print("\n".join(wrong) or "compile cost is as recorded, and that of 96 layers is that of 12")
    return 1 if wrong else 0


sys.exit(main())
