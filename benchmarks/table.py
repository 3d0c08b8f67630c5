#!/usr/bin/env python3
"""Tables and plots of the benchmarks.

table.py --out DIR RAW.json...   medians of raw runs (Google Benchmark's JSON) as DIR/results.json, DIR/table.md and, with gnuplot,
                                 DIR/*.svg; DIR/compile.txt is taken in where it is
table.py --readme [--check]      the README's figures from benchmarks/results/*.json; --check: only says whether they agree

Shares of limits are refused (exit status 3) when a matrix product beat the measured peak: then the peak was not one."""
import argparse
import json
import pathlib
import statistics
import sys

from figures import BEGIN, END, markdown, readme_section, shares_are_refused
from plots import plot

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
RATES = ("flops", "bytes", "tokens", "elements")


def read_raw(paths):
    """Measurements by (group, work, who, threads), of every repetition; and what the files say of the machine."""
    context, found = {}, {}
    for path in paths:
        text = pathlib.Path(path).read_text()
        if not text.strip():
            continue
        raw = json.loads(text)
        context.update({k: v for k, v in raw.get("context", {}).items() if k not in ("executable", "host_name", "load_avg")})
        of_file = {}
        for b in raw["benchmarks"]:
            if b.get("run_type") != "iteration" or b.get("error_occurred"):
                continue
            group, work, who, threads = b["name"].replace("/real_time", "").split("/")[:4]
            key = (group, work, who, int(threads.split(":")[1]))
            of_file.setdefault(key, []).append({"seconds": b["real_time"] * SECONDS[b["time_unit"]], **{r: b[r] for r in RATES if r in b}})
        for key, runs in of_file.items():
            found.setdefault(key, []).append(runs)
    return context, found


def summary(runs, best):
    """The median of repetitions; for a ceiling, the best."""
    pick = (lambda v: max(v)) if best else statistics.median
    row = {"seconds": min(r["seconds"] for r in runs) if best else statistics.median(r["seconds"] for r in runs)}
    row.update({k: pick([r[k] for r in runs]) for k in RATES if k in runs[0]})
    return row


def digits(value):
    return float(f"{value:.4g}")


def results_of(paths, compile_text=None):
    context, found = read_raw(paths)
    machine = {"processor": context.get("processor", "unknown").strip(), "cores": context.get("num_cpus"),
               "flags": context.get("flags", "").split(), "compiler": context.get("compiler"),
               "eigen_compiler": context.get("eigen_compiler"), "torch": context.get("torch"),
               "date": str(context.get("date", ""))[:10], "commit": context.get("commit")}
    rows = []
    for (group, work, who, threads), files in sorted(found.items()):
        best = min((summary(runs, group == "ceilings") for runs in files), key=lambda r: r["seconds"])
        rows.append({"group": group, "work": work, "who": who, "threads": threads, **{k: digits(v) for k, v in best.items()}})
    # PyTorch on all threads is sometimes slower than on one: the better counts.
    one = {r["work"]: r["seconds"] for r in rows if r["who"] == "PyTorch" and r["threads"] == 1}
    for r in rows:
        if r["who"] == "PyTorch" and r["seconds"] > one.get(r["work"], r["seconds"]):
            r["seconds"] = one[r["work"]]
    return {"machine": {k: v for k, v in machine.items() if v}, "rows": rows,
            **({"compile": [line.rstrip() for line in compile_text.splitlines() if line.strip()]} if compile_text else {})}


def committed():
    """The committed results, by name."""
    return {p.stem: json.loads(p.read_text()) for p in sorted((ROOT / "benchmarks" / "results").glob("*.json"))}


def with_figures(readme, results):
    """The README's text with its figures made anew. They stand before `## Limits` when there were none."""
    section = BEGIN + "\n" + readme_section(results) + END + "\n"
    if BEGIN in readme:
        head, rest = readme.split(BEGIN, 1)
        return head + section + rest.split(END + "\n", 1)[1]
    head, rest = readme.split("## Limits\n", 1)
    return head + section + "\n## Limits\n" + rest


def check():
    """What is wrong with the README's figures, or an empty text."""
    readme, results = (ROOT / "README.md").read_text(), committed()
    if not results:
        return "the README has figures, but benchmarks/results/ has none" if BEGIN in readme else ""
    if BEGIN not in readme:
        return "benchmarks/results/ has figures that the README does not show: benchmarks/table.py --readme"
    bad = [name for name, r in results.items() if shares_are_refused(r)]
    if bad:
        return f"benchmarks/results/{bad[0]}.json: a product beats the measured peak"
    if with_figures(readme, results) != readme:
        return "the README's figures are not those of benchmarks/results/: benchmarks/table.py --readme"
    return ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=pathlib.Path)
    options.add_argument("--readme", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("raw", nargs="*")
    o = options.parse_args()
    if o.readme:
        if o.check:
            wrong = check()
            print(wrong or "the README's figures are the committed ones")
            return bool(wrong)
        results = committed()
        if not results:
            return "benchmarks/results/ has no results: copy a report's results.json there"
        path = ROOT / "README.md"
        path.write_text(with_figures(path.read_text(), results))
        return 0
    if not o.raw or not o.out:
        options.error("give --out and raw files, or --readme")
    compiled = o.out / "compile.txt"
    results = results_of(o.raw, compiled.read_text() if compiled.exists() else None)
    (o.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (o.out / "table.md").write_text(text)
    print(text)
    plot(results, o.out)
    return 3 if shares_are_refused(results) else 0


if __name__ == "__main__":
    sys.exit(main())
