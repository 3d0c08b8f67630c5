"""Results (table.py) as Markdown: a report's tables, and the README's."""

BEGIN, END = "<!-- figures: made by benchmarks/table.py --readme -->", "<!-- end of figures -->"

# Group: title, its value, the value of a row, the ceiling that limits it.
GROUPS = {
    "products": ("Matrix products (`turned`: the right side's columns lie along memory)", "GF/s", lambda r: r["flops"] / 1e9, "fma"),
    "layers": ("Layers", "ms", lambda r: r["seconds"] * 1e3, "fma"),
    "training": ("Training steps: forward, backward, AdamW", "ms", lambda r: r["seconds"] * 1e3, "fma"),
    "decoding": ("Decoding, one row", "tokens/s", lambda r: 1 / r["seconds"], "read L3"),
    "groups": ("Pointwise statements and rows, 2048 x 256", "GB/s", lambda r: r["bytes"] / 1e9, "copy L3"),
    "functions": ("Functions, 4096 numbers", "ns a number", lambda r: 1e9 / r["elements"], None),
}


def ceilings(results):
    """(work, threads) -> operations or bytes a second."""
    return {(r["work"], r["threads"]): r.get("flops", r.get("bytes")) for r in results["rows"] if r["group"] == "ceilings"}


def shares_are_refused(results):
    """A product faster than the measured peak: the peak was disturbed, so shares of it mean nothing."""
    top = ceilings(results)
    return any(r["group"] == "products" and r["flops"] > top.get(("fma", r["threads"]), float("inf")) for r in results["rows"])


def number(x):
    return f"{x:.3g}" if x < 100 else f"{x:.0f}"


def threads_in_words(n):
    return f"{n} thread" + ("s" if n > 1 else "")


def share(row, limit, top):
    """Of its limit; empty when that is not known."""
    rate = row.get("flops" if limit == "fma" else "bytes")
    most = top.get((limit, row["threads"]))
    return f" ({100 * rate / most:.0f} %)" if limit and rate and most else ""


def base_of(row, rows):
    """The row that another is compared with besides peers: the Transformer's decoder; a solver's plain step."""
    if row["group"] == "decoding":
        name = "Transformer"
    else:
        name = next((" ".join(row["work"].split()[:i]) for i in range(len(row["work"].split()) - 1, 0, -1)
                     if (row["group"], " ".join(row["work"].split()[:i]), "dyadic", row["threads"]) in rows), None)
    base = rows.get((row["group"], name, "dyadic", row["threads"]))
    return base if base and base["work"] != row["work"] else None


def table(results, group, threads, all_peers):
    """Lines of one group's table: a line for every work, columns for every number of threads."""
    title, unit, value, limit = GROUPS[group]
    rows = {(r["group"], r["work"], r["who"], r["threads"]): r for r in results["rows"]}
    top = {} if shares_are_refused(results) else ceilings(results)
    works = sorted({r["work"] for r in results["rows"] if r["group"] == group and r["who"] == "dyadic"}, key=order_of)
    if not works:
        return []
    plural = {n: threads_in_words(n) for n in threads}
    based = group in ("training", "decoding") and any(base_of(rows[k], rows) for k in rows if k[0] == group and k[2] == "dyadic")
    head = [title] + [f"{plural[n]}, {unit}" for n in threads] + [f"against others, {plural[n]}" for n in threads]
    head += [f"time against the plain one, {plural[n]}" for n in threads] if based else []
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for work in works:
        values, others, plain = [], [], []
        for n in threads:
            own = rows.get((group, work, "dyadic", n))
            values.append(number(value(own)) + share(own, limit, top) if own else "")
            peers = [r for r in results["rows"] if (r["group"], r["work"], r["threads"]) == (group, work, n) and r["who"] != "dyadic"]
            peers.sort(key=lambda r: r["seconds"])
            if not all_peers:
                peers = [r for r in peers if not r["who"].startswith("dyadic") or group == "groups"][:1]
            others.append(", ".join(f"{r['who']} {r['seconds'] / own['seconds']:.2f}x" for r in peers) if own else "")
            base = base_of(own, rows) if own and based else None
            plain.append(f"{own['seconds'] / base['seconds']:.2f}" if base else "")
        lines.append("| " + " | ".join([work] + values + others + (plain if based else [])) + " |")
    return lines + [""]


def order_of(work):
    """Numbers in names by size."""
    return [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in work.split()]


def introduction(results):
    m = results["machine"]
    threads = sorted({r["threads"] for r in results["rows"]})
    top = ceilings(results)
    said = [f"{m.get('processor', 'Processor unknown')}, {m.get('cores', '?')} cores ({', '.join(m.get('flags', []))})"]
    said += [m["compiler"]] if "compiler" in m else []
    said += [f"Eigen by {m['eigen_compiler']}"] if "eigen_compiler" in m else []
    said += [f"PyTorch {m['torch']}"] if "torch" in m else []
    said += [f"{m.get('date', '')}, commit {m.get('commit', '')}. Medians; ceilings measured in the same run:"]
    lines = ["; ".join(said), ""]
    lines += ["| ceiling | " + " | ".join(threads_in_words(n) for n in threads) + " |", "|" + "---|" * (len(threads) + 1)]
    levels = ["fma", "L2", "L3", "DRAM"]
    names = sorted({w for w, _ in top}, key=lambda w: (w != "fma", w.split()[0] != "read", levels.index(w.split()[-1])))
    for w in names:
        unit = "GF/s" if w == "fma" else "GB/s"
        label = "float multiplications and additions" if w == "fma" else w
        lines.append(f"| {label}, {unit} | " + " | ".join(number(top[(w, n)] / 1e9) if (w, n) in top else "" for n in threads) + " |")
    lines.append("")
    if shares_are_refused(results):
        lines += ["**No shares: a matrix product was faster than the peak that was measured, so the machine was not quiet.**", ""]
    return lines, threads


EXPLANATION = ("Percentages are shares of the limit: the peak for arithmetic (as the library's own `cost` counts it), reading from the "
               "third-level cache for decoding, copying in it for pointwise work. \"Against others\": their time divided by dyadic's; "
               "where it is more than 1, dyadic is faster.")


def markdown(results):
    """A report: every group and every peer."""
    lines, threads = introduction(results)
    lines += [EXPLANATION, ""]
    for group in GROUPS:
        lines += table(results, group, threads, all_peers=True)
    if "compile" in results:
        lines += ["Compile time:", ""] + ["    " + line for line in results["compile"]] + [""]
    return "\n".join(lines)


def readme_section(all_results):
    """The README's: for every committed machine the groups that say most, each against the fastest peer."""
    lines = ["## Figures", "", EXPLANATION, ""]
    for results in all_results.values():
        begin, threads = introduction(results)
        lines += begin
        for group in GROUPS:
            if group != "functions":
                lines += table(results, group, threads, all_peers=False)
    return "\n".join(lines)
