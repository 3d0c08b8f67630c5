"""Tests of the report's arithmetic: medians, ceilings, ratios, refusal, the README's section. Run by ctest."""
import json
import pathlib
import tempfile
import unittest

import figures
import table


def run(name, *times, unit="us", **rates):
    """Repetitions of one benchmark."""
    return [{"name": f"{name}/real_time", "run_type": "iteration", "real_time": t, "time_unit": unit,
             **{k: v / t for k, v in rates.items()}} for t in times]


def raw(*groups):
    aggregate = {"name": "products/1 x 1 x 1/dyadic/threads:1", "run_type": "aggregate", "real_time": 1, "time_unit": "ns"}
    return {"context": {"num_cpus": 2, "date": "2024-05-06T07:08:09+00:00", "compiler": "g++ 12", "commit": "abc", "flags": "avx2 fma",
                        "executable": "x", "processor": "Some CPU"},
            "benchmarks": [b for g in groups for b in g] + [aggregate]}


def results_of(*files, compiled=None):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, content in enumerate(files):
            paths.append(pathlib.Path(folder) / f"raw_{i}.json")
            paths[-1].write_text(json.dumps(content))
        (pathlib.Path(folder) / "empty.json").write_text("")
        return table.results_of([*paths, pathlib.Path(folder) / "empty.json"], compiled)


CEILINGS = [run("ceilings/fma/machine/threads:1", 10, 20, 40, flops=1e12), run("ceilings/read L3/machine/threads:1", 10, bytes=1e11)]
OURS = run("products/4 x 256 x 256/dyadic/threads:1", 20, 40, 30, flops=1.5e12)


class Results(unittest.TestCase):
    def row(self, results, who, group="products"):
        return next(r for r in results["rows"] if r["who"] == who and r["group"] == group)

    def test_medians_of_work_and_the_best_of_ceilings(self):
        r = results_of(raw(*CEILINGS, OURS))
        self.assertEqual(self.row(r, "dyadic")["seconds"], 3e-5)
        self.assertEqual(self.row(r, "dyadic")["flops"], 5e10)
        self.assertEqual(figures.ceilings(r)[("fma", 1)], 1e11)
        self.assertEqual(r["machine"]["date"], "2024-05-06")
        self.assertNotIn("executable", json.dumps(r))

    def test_errors_and_aggregates_are_left_out(self):
        wrong = run("products/4 x 256 x 256/Eigen/threads:1", 10, flops=1)
        wrong[0]["error_occurred"] = True
        r = results_of(raw(*CEILINGS, OURS, wrong))
        self.assertEqual([x["who"] for x in r["rows"] if x["group"] == "products"], ["dyadic"])

    def test_torch_takes_the_better_number_of_threads(self):
        own = [run("layers/LSTM/dyadic/threads:1", 4, unit="ms", flops=1e9), run("layers/LSTM/dyadic/threads:2", 2, unit="ms", flops=1e9)]
        others = [raw(run(f"layers/LSTM/PyTorch/threads:{n}", t, unit="ms")) for n, t in ((1, 8), (2, 9))]
        r = results_of(raw(*CEILINGS, *own), *others)
        self.assertEqual([x["seconds"] for x in r["rows"] if x["who"] == "PyTorch"], [0.008, 0.008])
        self.assertIn("PyTorch 2.00x | PyTorch 4.00x", figures.markdown(r))


class Markdown(unittest.TestCase):
    def test_shares_and_ratios(self):
        text = figures.markdown(results_of(raw(*CEILINGS, OURS, run("products/4 x 256 x 256/Eigen/threads:1", 45, flops=1.5e12))))
        self.assertIn("| 4 x 256 x 256 | 50 (50 %) | Eigen 1.50x |", text)

    def test_shares_are_refused_when_a_product_beats_the_peak(self):
        fast = run("products/4 x 256 x 256/Eigen/threads:1", 10, flops=1.1e12)
        r = results_of(raw(*CEILINGS, OURS, fast))
        self.assertTrue(figures.shares_are_refused(r))
        self.assertIn("No shares", figures.markdown(r))
        self.assertIn("| 4 x 256 x 256 | 50 |", figures.markdown(r))
        self.assertFalse(figures.shares_are_refused(results_of(raw(*CEILINGS, OURS))))

    def test_works_by_size_and_steps_against_plain_ones(self):
        steps = (("A C64 jacobi 4 passes", 3), ("A C64", 12), ("B", 1))
        rows = [run(f"training/{w}/dyadic/threads:1", t, unit="ms", flops=1e9) for w, t in steps]
        sizes = [run(f"products/{m} x 256 x 256/dyadic/threads:1", 50, flops=1e11) for m in (256, 16, 4)]
        text = figures.markdown(results_of(raw(*CEILINGS, *rows, *sizes)))
        self.assertRegex(text, r"\| A C64 jacobi 4 passes \|.*\| 0\.25 \|")
        self.assertLess(text.index("| 4 x"), text.index("| 16 x"))
        self.assertLess(text.index("| 16 x"), text.index("| 256 x"))

    def test_decoders_against_the_transformer(self):
        rows = [run(f"decoding/{w}/dyadic/threads:1", t, bytes=1e10) for w, t in (("Transformer", 100), ("Latent", 105))]
        self.assertRegex(figures.markdown(results_of(raw(*CEILINGS, *rows))), r"\| Latent \| 9524.*\| 1\.05 \|")

    def test_compile_times(self):
        self.assertIn("    core.hpp 0.3 s", figures.markdown(results_of(raw(*CEILINGS), compiled="core.hpp 0.3 s\n\n")))


class Readme(unittest.TestCase):
    def test_the_section_is_put_in_and_replaced(self):
        first = {"one": results_of(raw(*CEILINGS, OURS))}
        second = {"one": results_of(raw(*CEILINGS, run("products/4 x 256 x 256/dyadic/threads:1", 60, flops=1.5e12)))}
        text = table.with_figures("# x\n\n## Limits\n\nz\n", first)
        self.assertTrue(text.startswith("# x\n\n" + figures.BEGIN) and text.endswith(figures.END + "\n\n## Limits\n\nz\n"))
        self.assertEqual(table.with_figures(text, first), text)
        again = table.with_figures(text, second)
        self.assertNotEqual(again, text)
        self.assertEqual(table.with_figures(again, first), text)


if __name__ == "__main__":
    unittest.main()
