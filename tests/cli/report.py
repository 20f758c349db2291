#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report has fixed names, and its values agree with each other and with the program's text."""
import json
import os
import pathlib
import re

from support.matrices import coordinate, grid_entries, symmetric
from support.program import ProgramTest, environment, main

FIELDS = {
    "espalier": str,
    "status": str,
    "message": str,
    "warnings": list,
    "matrix": ["name", "n", "nnz_lower", "duplicates_summed", "mirrors_averaged", "diagonal_added", "read_seconds"],
    "ordering": ["method", "seconds"],
    "symbolic": ["nnz_l", "flops", "supernodes", "blocks", "seconds", "predicted_factor_seconds",
                 "predicted_peak_bytes"],
    "machine": ["host", "cpu_workers", "cuda_workers", "cuda_devices", "coprocessor_workers", "coprocessor_threads", "ranks",
                "blas"],
    "models": ["source", "file", "date"],
    "scheduler": ["requested", "active"],
    "tasks": ["diagonal", "factor", "update", "subtree", "assemble", "reduce", "submitted", "mean_us", "idle_share", "runtime_share"],
    "kinds": list,
    "widths": list,
    "factor": ["seconds", "gflops", "runs", "granularity", "factorization", "bound_seconds", "setup_seconds"],
    "solve": ["seconds", "nrhs", "refinement_steps", "offloaded"],
    "memory": ["factor_bytes", "peak_rss_bytes"],
    "offload": ["fraction", "efficiency", "busy_share", "host_idle_seconds", "device_idle_seconds", "panel_seconds",
                "panel_share", "transfer_seconds", "bytes_to_device", "bytes_to_host", "costs", "bound_seconds"],
    "solution": ["backward_error"],
}
KIND_FIELDS = ["kind", "worker", "count", "seconds", "flops", "predicted_seconds"]


class Report(ProgramTest):
    def expect_all_fields(self, report):
        for name, kind in FIELDS.items():
            with self.subTest(field=name):
                if isinstance(kind, list):
                    self.assertLessEqual(set(kind), set(report[name]))
                else:
                    self.assertIsInstance(report[name], kind)

    def test_of_a_solve(self):
        report = self.report_of("solve", "laplace3d:14", "--repeat", 3, "--nrhs", 2, "--sched", "lws", "--workers", 2,
                                "--granularity", "panel", "--ordering", "amd")
        self.expect_all_fields(report)
        self.expect_accurate(report)
        self.assertEqual(report["message"], "")
        self.assertEqual(report["matrix"]["name"], "laplace3d:14")
        self.assertEqual((report["matrix"]["n"], report["matrix"]["nnz_lower"]), (14**3, 14**3 + 3 * 14**2 * 13))
        self.assertEqual(report["ordering"]["method"], "amd")
        self.assertEqual(report["scheduler"], {"requested": "lws", "active": "lws"})
        self.assertEqual(report["machine"]["cpu_workers"], 2)
        self.assertEqual(report["machine"]["ranks"], 1)
        self.assertEqual(report["solve"]["nrhs"], 2)
        self.assertEqual(report["factor"]["granularity"], "panel")
        self.assertNotIn("not_positive_definite", report)

    def test_times_of_all_runs_and_the_best(self):
        factor = self.report_of("solve", "laplace3d:14", "--repeat", 4)
        runs = factor["factor"]["runs"]
        self.assertEqual(len(runs), 4)
        self.assertEqual(factor["factor"]["seconds"], min(runs))
        self.assertGreater(min(runs), 0)
        self.assertAlmostEqual(factor["factor"]["gflops"] * min(runs) * 1e9 / factor["symbolic"]["flops"], 1, 6)

    def test_kinds_agree_with_the_tasks(self):
        report = self.report_of("solve", "laplace3d:14", "--granularity", "block", "--workers", 2)
        counts = {kind["kind"]: kind["count"] for kind in report["kinds"]}
        self.assertGreater(len(counts), 2)
        for kind in report["kinds"]:
            self.assertEqual(sorted(kind), sorted(KIND_FIELDS))
            self.assertGreater(kind["seconds"], 0)
        for kind, count in counts.items():
            self.assertEqual(count, report["tasks"][kind], kind)

    def test_memory_is_that_of_this_process(self):
        memory = self.report_of("solve", "laplace3d:20")["memory"]
        self.assertGreater(memory["factor_bytes"], 8 * 100000)
        self.assertGreater(memory["peak_rss_bytes"], memory["factor_bytes"])
        self.assertLess(memory["peak_rss_bytes"], 2**32)
        phases = [phase["phase"] for phase in memory["phases"]]
        self.assertEqual(phases, ["read", "ordering", "symbolic", "setup", "factor", "solve"])
        peaks = [phase["peak_rss_bytes"] for phase in memory["phases"]]
        self.assertEqual(peaks, sorted(peaks))
        self.assertGreater(peaks[0], 0)
        self.assertLessEqual(peaks[-1], memory["peak_rss_bytes"])

    def test_of_an_analysis(self):
        report = self.report_of("analyze", "laplace3d:14", "--workers", 3, "--ordering", "metis")
        self.expect_all_fields(report)
        self.assertEqual(report["machine"]["cpu_workers"], 3)
        self.assertEqual(report["ordering"]["method"], "metis")
        self.assertGreaterEqual(report["symbolic"]["nnz_l"], report["matrix"]["nnz_lower"])
        self.assertGreater(report["symbolic"]["predicted_factor_seconds"], 0)
        self.assertGreater(report["symbolic"]["predicted_peak_bytes"], report["memory"]["factor_bytes"])
        self.assertEqual(report["factor"]["runs"], [])

    def test_of_an_analysis_with_matching(self):
        self.assertNotIn("analysis", self.report_of("analyze", "stokes2d:12"))
        paired = self.write("paired.mtx", coordinate(3, [(1, 1, 0), (2, 2, 0), (2, 1, 5), (3, 3, 1)]))
        self.assertEqual(self.report_of("analyze", paired, "--matching")["analysis"], {"matched_pairs": 1})
        usual, matched = (self.report_of("analyze", "stokes2d:12", *option)["symbolic"] for option in ([], ["--matching"]))
        self.assertGreater(matched["nnz_l"], usual["nnz_l"])
        solved = self.report_of("solve", "laplace2d:12", "--matching")
        self.assertEqual(solved["analysis"], {"matched_pairs": 0})

    def test_analysis_and_solve_agree_on_the_structure(self):
        options = ["laplace2d:40", "--ordering", "amd", "--panel-width", 64]
        analysis, solve = (self.report_of(command, *options)["symbolic"] for command in ("analyze", "solve"))
        for name in ("nnz_l", "flops", "supernodes", "blocks"):
            self.assertEqual(analysis[name], solve[name], name)

    def test_options_of_the_analysis_take_effect(self):
        base = self.report_of("analyze", "laplace2d:40", "--ordering", "amd")["symbolic"]
        none = self.report_of("analyze", "laplace2d:40", "--ordering", "amd", "--amalgamation-widths", "0,0,0,0",
                              "--amalgamation-zeros", "0,0,0,0")["symbolic"]
        self.assertGreater(none["supernodes"], base["supernodes"])
        self.assertLess(none["nnz_l"], base["nnz_l"])
        narrow = self.report_of("analyze", "laplace2d:40", "--ordering", "amd", "--panel-width", 8)["symbolic"]
        self.assertGreater(narrow["blocks"], base["blocks"])

    def test_a_failure_keeps_what_was_known(self):
        entries = {**grid_entries(12), (3, 3): -1.0}
        report = self.report_of("solve", self.write("a.mtx", symmetric(144, entries)), code=4)
        self.expect_all_fields(report)
        self.assertEqual(report["matrix"]["n"], 144)
        self.assertGreater(report["symbolic"]["nnz_l"], 144)
        self.assertEqual(report["not_positive_definite"], {"column": 3})

    def test_the_summary_tells_the_same(self):
        path = self.folder / "r.json"
        out = self.expect_success("solve", "laplace2d:30", "--report", path, "--sched", "eager", "--verbose").out
        report = json.loads(path.read_text())
        for part in ("900 rows", f"{report['symbolic']['nnz_l']} entries", "scheduler eager\n",
                     report["machine"]["blas"], f"{report['symbolic']['supernodes']} supernodes",
                     f"backward error {report['solution']['backward_error']:.2g}"):
            self.assertIn(part, out)

    def test_the_summary_has_units_that_suit_and_the_time_to_solution(self):
        path = self.folder / "r.json"
        out = self.expect_success("solve", "laplace3d:22", "--report", path).out
        report = json.loads(path.read_text())
        self.assertRegex(out, rf"factor +{report['symbolic']['nnz_l'] / 1e6:.2f} M entries \(.*\), \d+ Mflop\n")
        shown = re.search(r"solution +(\S+) ms from the matrix to the solution, backward error", out)
        phases = [report[phase]["seconds"] for phase in ("ordering", "symbolic", "solve")]
        seconds = sum(phases) + report["factor"]["setup_seconds"] + report["factor"]["runs"][0]
        self.assertAlmostEqual(float(shown[1]) * 1e-3, seconds, delta=0.006 * seconds)
        for expert in ("supernodes", "tasks", "OpenBLAS 0"):
            self.assertNotIn(expert, out)

    def test_the_summary_names_the_cure_where_openblas_takes_the_processor_for_an_older_one(self):
        if "OpenBLAS" not in self.report_of("solve", "laplace2d:3")["machine"]["blas"]:
            self.skipTest("the BLAS is not OpenBLAS")
        if " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("the processor is an older one")
        for core, advised in (("Prescott", True), ("Haswell", False)):
            out = self.expect_success("solve", "laplace2d:30", env=environment(OPENBLAS_CORETYPE=core)).out
            advice = re.findall(r"^ +OpenBLAS .*\(Prescott\).* set OPENBLAS_CORETYPE=(?:Haswell|SkylakeX)$", out, re.M)
            self.assertEqual(len(advice), int(advised), out)

    def test_openblas_that_does_not_know_the_processor_is_told(self):
        if " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("the processor is an older one")
        env = environment(LD_PRELOAD=os.environ["ESPALIER_PUZZLED_OPENBLAS"])
        env.pop("OPENBLAS_CORETYPE", None)
        told = self.expect_success("solve", "laplace2d:30", "--verbose", env=env)
        self.assertRegex(told.out, r"puzzled OpenBLAS \((Haswell|SkylakeX)\)")
        self.assertNotIn("older one", told.out)
        chosen = self.expect_success("solve", "laplace2d:30", env=env | {"OPENBLAS_CORETYPE": "Prescott"})
        self.assertRegex(chosen.out, r"older one \(Prescott\)", "the user's choice counts")

    def test_the_analysis_prints_distributions(self):
        out = self.expect_success("analyze", "laplace2d:30").out
        report = self.report_of("analyze", "laplace2d:30")
        supernodes, tasks = out.split("supernodes by number of columns\n")[1].split("tasks by predicted time\n")
        self.assertEqual(sum(int(line.split("#")[0].split()[-1]) for line in supernodes.strip().splitlines()),
                         report["symbolic"]["supernodes"])
        self.assertGreater(sum(int(line.split("#")[0].split()[-1]) for line in tasks.strip().splitlines()), 0)

    def test_the_analysis_says_its_work_and_span(self):
        arguments = ("analyze", "laplace3d:24", "--ordering", "dissection", "--workers", 8, "--span")
        self.assertRegex(self.expect_success(*arguments).out, r"(?m)^symbolic +\S+ \S+ of work, .* of span, .* on 8 workers$")
        report = self.report_of(*arguments)
        without = self.report_of(*arguments[:-1])
        for phase in ("ordering", "symbolic"):
            work = report[phase]["work"]
            self.assertGreater(work["span_seconds"], 0)
            self.assertLess(work["span_seconds"], work["seconds"])
            self.assertGreaterEqual(work["scheduled_seconds"], work["span_seconds"])
            self.assertEqual(set(without[phase]["work"].values()), {0})
        for field in ("nnz_l", "flops", "supernodes", "blocks"):
            self.assertEqual(report["symbolic"][field], without["symbolic"][field])

    def test_quiet_prints_nothing(self):
        for arguments in (["solve", "laplace2d:30"], ["analyze", "laplace2d:30"],
                          ["generate", "laplace2d:30", self.folder / "a.mtx"]):
            self.assertEqual(self.expect_success(*arguments, "--quiet").out, "")


if __name__ == "__main__":
    main()
