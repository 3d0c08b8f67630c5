"""Plots of results (table.py) by gnuplot, as SVG: products by the number of rows, and bars of shares and of tokens a second."""
import re
import shutil
import subprocess

from figures import ceilings, shares_are_refused

SIZE = "set terminal svg size 720,420 dynamic font 'sans-serif,12' background '#ffffff'\n"


def quoted(text):
    return '"' + text.replace('"', "") + '"'


def products(results, name):
    """GF/s of M x 256 x 256 products on one thread, a line for everyone."""
    lines = {}
    for r in results["rows"]:
        size = re.fullmatch(r"(\d+) x 256 x 256", r["work"])
        if r["group"] == "products" and r["threads"] == 1 and size:
            lines.setdefault(r["who"], []).append((int(size.group(1)), r["flops"] / 1e9))
    if not lines:
        return None
    top = ceilings(results).get(("fma", 1), 0) / 1e9
    blocks = "".join(f"$d{i} << EOD\n" + "".join(f"{m} {v}\n" for m, v in sorted(points)) + "EOD\n"
                     for i, points in enumerate(lines.values()))
    drawn = ", ".join(f"$d{i} using 1:2 with linespoints lw 2 title {quoted(who)}" for i, who in enumerate(lines))
    return (SIZE + f"set output {quoted(name)}\n" + blocks + "set logscale x 2\nset xlabel 'rows of the left side'\n"
            + "set ylabel 'GF/s, one thread'\nset yrange [0:*]\nset key outside right\nset grid ytics\n"
            + f"plot {top} with lines dt 2 lc 'black' title 'measured peak', {drawn}\n")


def bars(rows, label, name):
    """Horizontal bars: rows are (text, value)."""
    if not rows:
        return None
    data = "".join(f"{i} {value:.6g} {quoted(text)}\n" for i, (text, value) in enumerate(reversed(rows)))
    return (SIZE.replace("420", str(80 + 26 * len(rows))) + f"set output {quoted(name)}\n$d << EOD\n{data}EOD\n"
            + f"set style fill solid 0.7\nset xlabel {quoted(label)}\nset xrange [0:*]\nset yrange [-0.6:{len(rows) - 0.4}]\n"
            + "set grid xtics\nunset key\n"
            + "set lmargin 46\nplot $d using (0.5*$2):1:(0.5*$2):(0.35):ytic(3) with boxxyerror lc '#3b6ea5'\n")


def plot(results, out):
    """Writes what there are rows for to out/*.svg; without gnuplot, nothing, and says so."""
    if not shutil.which("gnuplot"):
        print("No plots: gnuplot is not here")
        return
    top = ceilings(results).get(("fma", 1))
    shares = [(r["work"], 100 * r["flops"] / top) for r in results["rows"] if r["group"] in ("layers", "training") and r["who"] == "dyadic"
              and r["threads"] == 1 and top and "flops" in r] if not shares_are_refused(results) else []
    tokens = [(r["work"], 1 / r["seconds"]) for r in results["rows"] if r["group"] == "decoding" and r["threads"] == 1]
    for text in (products(results, "products.svg"), bars(shares, "% of the measured peak, one thread", "shares.svg"),
                 bars(tokens, "tokens a second, one thread", "decoding.svg")):
        if text:
            subprocess.run(["gnuplot"], input=text, text=True, check=True, cwd=out)
