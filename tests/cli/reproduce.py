#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`espalier reproduce` remakes figures of papers: the runs that it makes, its messages, and the input that it refuses."""
import unittest

from support.charts import read_page
from support.coprocessors import skip_without_coprocessors, write_costs
from support.program import ALL_COMBINATIONS, ProgramTest, environment, espalier, main

BRIEFLY = ("--rounds", 1, "--repeat", 2, "--quiet")


class Reproduce(ProgramTest):
    def figures_of(self, *arguments, **options):
        report = self.report_of("reproduce", *arguments, *BRIEFLY, **options)
        return {figure["id"]: figure for figure in report["figures"]}

    def column(self, figure, label):
        values, = (column["values"] for column in figure["columns"] if column["label"] == label)
        return values

    def measured(self):
        """Returns an environment with measurements of a coprocessor."""
        write_costs(self.folder)
        return environment(XDG_DATA_HOME=self.folder)

    def test_each_figure_has_its_rows_and_curves(self):
        page = self.folder / "page.html"
        figures = self.figures_of("swcholesky", "--figure", "table 2,8,11,12", "--matrices", "laplace2d:20,laplace3d:7",
                                  "--workers", 2, "--html", page)
        self.assertEqual(list(figures), ["table 2", "figure 8", "figure 11", "figure 12"])
        self.assertEqual(self.column(figures["table 2"], "n"), [400, 343])
        queues = figures["figure 8"]
        self.assertEqual(queues["rows"], ["laplace2d:20", "laplace3d:7"])
        for label in ("DPQ", "InstQ+DPQ", "InstQ+TPQ+DPQ"):
            self.assertGreater(min(self.column(queues, label)), 0)
        self.assertTrue(queues["claims"][0]["found"])
        self.assertIn("CHOLMOD", figures["figure 11"]["not_run"])
        self.assertEqual(self.column(figures["figure 12"], "laplace3d:7")[0], 1)
        read = read_page(page.read_text())
        self.assertEqual(read.elements["svg"], 2)
        self.assertEqual(read.classes["rect", "bar"], 6)

    def test_devices_share_the_work(self):
        figures = self.figures_of("halo", "--figure", "7", "--matrices", "laplace3d:12", "--workers", 2, env=self.measured())
        self.assertEqual(figures["figure 7"]["rows"], ["0.1", "0.3", "0.5", "0.7", "0.9"])
        for label in ("STATIC0", "STATIC1", "MDWIN"):
            self.assertGreater(min(self.column(figures["figure 7"], label)), 0)

    def test_where_the_time_goes_with_a_device(self):
        table = self.figures_of("halo", "--figure", "table III", "--matrices", "laplace3d:20", "--workers", 2, env=self.measured())["table III"]
        for label in ("t_omp", "t_mic"):
            self.assertGreater(self.column(table, label)[0], 0)
        idle = [self.column(table, label)[0] for label in ("CPU idle", "device idle")]
        self.assertAlmostEqual(self.column(table, "efficiency")[0], 1 - sum(idle) / 2, delta=0.3)

    @unittest.skipUnless(ALL_COMBINATIONS, "other tests measure kernels")
    def test_kernels_that_were_not_measured_are_for_these_figures_alone(self):
        skip_without_coprocessors()
        figures = self.figures_of("halo", "--figure", "5,6", env=environment(XDG_DATA_HOME=self.folder / "data"))
        for figure in figures.values():
            self.assertEqual(figure["rows"], ["8", "32", "64", "128", "256", "512", "1024"])
            self.assertGreater(min(min(column["values"]) for column in figure["columns"]), 0)
            self.assertIn("calibrate --quick", figure["conditions"])
        self.assertFalse((self.folder / "data").exists())

    def test_a_simulated_machine_has_tables_of_kernels(self):
        figure = self.figures_of("halo", "--figure", "5", "--simulated", "h100-8")["figure 5"]
        self.assertGreater(self.column(figure, "n = 1024")[-1], self.column(figure, "n = 8")[0])

    def test_operations_of_all_ranks_are_counted(self):
        figure = self.figures_of("sympack", "--figure", "6", "--matrices", "laplace3d:9", "--nodes", "1,2")["figure 6"]
        self.assertEqual(figure["rows"], ["potrf", "trsm", "syrk", "gemm"])
        for side in ("CPU", "device"):
            self.assertGreater(min(self.column(figure, f"factor, {side}")), 0, side)
        self.assertIn("divided by", figure["conditions"])
        mostly_cpu, larger_on_devices = figure["claims"]
        self.assertIn("of the factor potrf", mostly_cpu["found"])
        self.assertTrue(larger_on_devices["holds"])

    def test_one_kernel_by_several_threads(self):
        figure = self.figures_of("swcholesky", "--figure", "9", "--workers", 2)["figure 9"]
        for label in ("task parallel", "data parallel"):
            self.assertGreater(min(self.column(figure, label)), 0)

    def test_ranks_take_part(self):
        figures = self.figures_of("sympack", "--figure", "7,8", "--matrices", "laplace2d:20", "--nodes", "1,2")
        for figure in figures.values():
            self.assertEqual(figure["rows"], ["1", "2"])
            for label in ("fan-out", "lws", "espalier"):
                self.assertGreater(min(self.column(figure, label)), 0)

    def test_a_run_that_fails_leaves_a_gap(self):
        figures = self.figures_of("swcholesky", "--figure", "table 2", "--matrices", "laplace2d:9,nosuch.mtx")
        self.assertEqual(self.column(figures["table 2"], "n"), [81, None])
        self.assertIn("nosuch.mtx", figures["table 2"]["conditions"])

    def test_what_is_refused(self):
        self.expect_failure(2, "reproduce", "nosuch", says=["'nosuch'", "sympack, halo, swcholesky"])
        self.expect_failure(2, "reproduce", "halo", "--figure", "99", says=["'99'", "figure 7"])
        self.expect_failure(3, "reproduce", "halo", "--simulated", "nosuch", says="nosuch")
        page = self.folder / "missing" / "page.html"
        self.expect_failure(3, "reproduce", "halo", "--html", page, says=str(page))
        outcome = espalier("reproduce", "halo", "--figure", "table I", "--matrices", "nosuch.mtx", *BRIEFLY)
        self.assertEqual(outcome.code, 7, outcome.err)
        self.assertIn("nosuch.mtx", outcome.err)


if __name__ == "__main__":
    main()
