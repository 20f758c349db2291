#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`espalier reproduce` remakes figures of papers: the runs that it makes, its messages, the input that it refuses, and its outputs
after an early end."""
import json
import math
import signal
import statistics
import subprocess
import unittest

from support.charts import read_page
from support.coprocessors import skip_without_coprocessors, write_costs
from support.program import ALL_COMBINATIONS, PROGRAM, ProgramTest, environment, espalier, main

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
        figures = self.figures_of("swcholesky", "--figure", "table 2,8,12", "--matrices", "laplace2d:20,laplace3d:7",
                                  "--workers", 2, "--html", page)
        self.assertEqual(list(figures), ["table 2", "figure 8", "figure 12"])
        self.assertEqual(self.column(figures["table 2"], "n"), [400, 343])
        queues = figures["figure 8"]
        self.assertEqual(queues["rows"], ["laplace2d:20", "laplace3d:7"])
        for label in ("DPQ", "InstQ+DPQ", "InstQ+TPQ+DPQ"):
            self.assertGreater(min(self.column(queues, label)), 0)
        claim, = queues["claims"]
        self.assertEqual(claim["verdict"], "not judged")
        self.assertIn("--rounds", claim["reason"])
        self.assertNotIn("holds", claim)
        self.assertEqual(self.column(figures["figure 12"], "laplace3d:7")[0], 1)
        read = read_page(page.read_text())
        self.assertEqual(read.elements["svg"], 2)
        self.assertEqual(read.classes["rect", "bar"], 6)

    def figures_with_peer(self, script, figures="11,13"):
        """Returns figures that compare with a program peer_cholmod of these commands."""
        peer = self.write("peer_cholmod", f"#!/bin/sh\n{script}\n")
        peer.chmod(0o755)
        return self.figures_of("swcholesky", "--figure", figures, "--matrices", "laplace2d:20", "--workers", 2,
                               env=environment(PEERS=self.folder))

    def test_cholmod_is_a_column(self):
        figures = self.figures_with_peer('[ "$1 $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $ORDERING" = "laplace2d:20 2 2 metis" ] || exit 1\n'
                                         """echo '{"analyse_s": 3, "factor_median_s": 1e3, "solve_s": 1, "backward_error": 1e-16}'""")
        self.assertEqual(figures["figure 11"]["failures"], [])
        self.assertLess(self.column(figures["figure 11"], "CHOLMOD")[0], 1e-3)
        self.assertAlmostEqual(self.column(figures["figure 13"], "CHOLMOD")[0], 3 / 1003)

    def test_a_failure_of_cholmod_leaves_a_gap(self):
        for script, says in (("echo it is ill; exit 3", "CHOLMOD: it is ill"), ("true", "printed no result"),
                             ("""echo '{"analyse_s": 3, "factor_median_s": 1, "solve_s": 1, "backward_error": 1e-3}'""", "backward error")):
            figure = self.figures_with_peer(script, "11")["figure 11"]
            self.assertEqual(self.column(figure, "CHOLMOD"), [None])
            self.assertIn(says, figure["failures"][0])
            self.assertEqual(figure["claims"][0]["verdict"], "not judged")

    def peers(self, **scripts):
        """Returns an environment with programs of solvers. Each runs a script and then prints a line of results."""
        for name, script in scripts.items():
            line = '{"analyse_s": 3, "factor_s": 7, "solve_s": 5, "backward_error": 1e-16}'
            self.write(f"peer_{name}", f"#!/bin/sh\n{script}\necho '{line}'\n").chmod(0o755)
        return environment(PEERS=self.folder)

    def test_solvers_that_are_installed_are_columns(self):
        check = '[ "$1 $OMP_NUM_THREADS $ORDERING" = "laplace2d:20 %d %s" ] || exit 1'
        figures = self.figures_of("sympack", "--figure", "7,8", "--matrices", "laplace2d:20", "--nodes", "1,2",
                                  env=self.peers(mumps=check % (1, "scotch")))
        for name, seconds in (("figure 7", 7), ("figure 8", 5)):
            self.assertEqual(self.column(figures[name], "MUMPS"), [seconds, None])
            self.assertEqual(figures[name]["failures"], [])
            self.assertIn("MUMPS", figures[name]["conditions"])
            self.assertRegex(figures[name]["conditions"], r"Not found: (peer_cholmod, )?peer_pastix, peer_pardiso\.")
        env = self.peers(cholmod="", mumps=check % (2, "metis"), pardiso="echo no licence; exit 1")
        figure = self.figures_of("swcholesky", "--figure", "11", "--matrices", "laplace2d:20", "--workers", 2, env=env)["figure 11"]
        self.assertEqual([column["label"] for column in figure["columns"]], ["swCholesky", "CHOLMOD", "MUMPS", "PARDISO"])
        self.assertLess(self.column(figure, "MUMPS")[0], 1)
        self.assertEqual(self.column(figure, "PARDISO"), [None])
        self.assertIn("PARDISO: no licence", figure["failures"][0])

    def test_cholmod_is_not_simulated(self):
        figure = self.figures_of("swcholesky", "--figure", "11", "--simulated", "cluster")["figure 11"]
        self.assertIn("CHOLMOD", figure["not_run"])

    def test_the_same_run_has_the_same_value_in_all_figures(self):
        figures = self.figures_of("swcholesky", "--figure", "8,10", "--matrices", "laplace2d:20", "--workers", 2)
        self.assertEqual(self.column(figures["figure 8"], "InstQ+TPQ+DPQ"), self.column(figures["figure 10"], "swCholesky"))

    def test_several_rounds_have_a_range(self):
        report = self.report_of("reproduce", "swcholesky", "--figure", "10", "--matrices", "laplace2d:20", "--workers", 1, "--rounds", 3,
                                "--repeat", 2, "--quiet")
        for column in report["figures"][0]["columns"]:
            self.assertLess(column["lowest"][0], column["values"][0])
            self.assertLess(column["values"][0], column["highest"][0])
            self.assertEqual(column["runs"], [3])
        self.assertIn(report["figures"][0]["claims"][0]["verdict"], ("found", "not found", "not judged"))

    def test_runs_use_the_orderings_and_limits_of_the_paper(self):
        runs = {paper: self.report_of("reproduce", paper, "--figure", figure, "--matrices", "laplace3d:12", "--nodes", 1, *BRIEFLY,
                                      env=self.measured())["runs"]
                for paper, figure in (("sympack", "table 1"), ("halo", "table I"), ("swcholesky", "table 2"))}
        for paper, ordering, granularity in (("sympack", "scotch", "block"), ("halo", "metis", "block"), ("swcholesky", "metis", "block")):
            run, = runs[paper]
            self.assertEqual(run["reports"][0]["ordering"]["method"], ordering)
            self.assertEqual(run["reports"][0]["factor"]["granularity"], granularity)
            self.assertEqual(run["reports"][0]["tasks"]["subtree"], 0, paper)
        self.assertLessEqual(max(widths["most"] for widths in runs["halo"][0]["reports"][0]["widths"]), 192)
        queues = {queue["queue"] for queue in runs["swcholesky"][0]["reports"][0]["scheduler"]["queues"]}
        self.assertLessEqual({"inst", "tpq"}, queues)

    def test_sizes_count_both_triangles(self):
        table = self.figures_of("halo", "--figure", "table I", "--matrices", "laplace2d:20", env=self.measured())["table I"]
        self.assertEqual(self.column(table, "nnz(A)/n"), [(400 + 4 * 380) / 400])

    def test_the_circumstances_are_on_the_page(self):
        page = self.folder / "page.html"
        outcome = espalier("reproduce", "swcholesky", "--figure", "table 2", "--matrices", "laplace2d:9", "--rounds", 20, "--repeat", 2,
                           "--html", page)
        self.assertEqual(outcome.code, 0, outcome.err)
        read_page(page.read_text())
        for fact in ("machine: ", "BLAS: ", "time model of CPU workers: ", "all runs: --as swcholesky", "rounds: 20 rounds of", "begin: 20",
                     "command: "):
            self.assertIn(fact, outcome.out)
            self.assertIn(f"<td>{fact.split(':')[0]}</td>", page.read_text())
        self.assertRegex(outcome.out, r"made: 20\d\d-.* other programs used [0-9.]+ cores meanwhile")

    def test_devices_share_the_work(self):
        figures = self.figures_of("halo", "--figure", "7,8", "--matrices", "laplace3d:12", "--workers", 2, env=self.measured())
        self.assertEqual(figures["figure 7"]["rows"], ["0.1", "0.3", "0.5", "0.7", "0.9"])
        for label in ("STATIC0", "STATIC1", "MDWIN"):
            self.assertGreater(min(self.column(figures["figure 7"], label)), 0)
        self.assertEqual(figures["figure 7"]["positions"], [0.1, 0.3, 0.5, 0.7, 0.9])
        shares = self.column(figures["figure 8"], "offloaded operations")
        self.assertLess(shares[0], shares[-1])
        self.assertRegex(figures["figure 8"]["conditions"], r"laplace3d:12: the device may take [5-9]\d\.\d %")

    def test_where_the_time_goes_with_a_device(self):
        table = self.figures_of("halo", "--figure", "table III", "--matrices", "laplace3d:20", "--workers", 2, env=self.measured())["table III"]
        for label in ("t_omp", "t_mic"):
            self.assertGreater(self.column(table, label)[0], 0)
        idle = [self.column(table, label)[0] for label in ("CPU idle", "device idle")]
        self.assertAlmostEqual(self.column(table, "efficiency")[0], 1 - sum(idle) / 2, delta=0.3)
        self.assertGreater(self.column(table, "offloadable")[0], 0.5)
        self.assertLessEqual(self.column(table, "offloaded")[0], self.column(table, "offloadable")[0])

    def test_times_are_divided_into_panels_and_updates(self):
        report = self.report_of("reproduce", "halo", "--figure", "9,10,11", "--matrices", "laplace3d:12", "--workers", 2, "--nodes", "1,2",
                                *BRIEFLY, env=self.measured())
        figures = {figure["id"]: figure for figure in report["figures"]}
        factors = [run["factor"] for case in report["runs"] for run in case["reports"]]
        columns = {(column["group"], column["label"]): column["values"] for column in figures["figure 9"]["columns"]}
        for label in ("OMP(p)", "OMP(p)+MIC", "MPI(p)+OMP(q)", "MPI(p)+OMP(q)+MIC"):
            for group in ("speed-up over OMP(p)", "time of panel factorization", "time of updates"):
                self.assertGreater(columns[group, label][0], 0)
        for label in ("MPI(p)+OMP(q)", "MPI(p)+OMP(q)+MIC"):
            whole, panels, updates = (self.column(figures["figure 10"], label + part) for part in ("", ": panels", ": updates"))
            for k in range(2):  # only the parts are those of the fastest factorization of a run
                factor, = (factor for factor in factors if math.isclose(factor["seconds"], panels[k] + updates[k]))
                self.assertEqual(whole[k], statistics.median(factor["runs"][1:]))
        self.assertEqual(len(self.column(figures["figure 11"], "updates")), 2)
        reasons = [claim.get("reason", "") for claim in figures["figure 11"]["claims"]]
        self.assertTrue(all("share" in reason or "--rounds" in reason for reason in reasons), reasons)

    @unittest.skipUnless(ALL_COMBINATIONS, "other tests measure kernels")
    def test_kernels_that_were_not_measured_are_for_these_figures_alone(self):
        skip_without_coprocessors()
        figures = self.figures_of("halo", "--figure", "5,6", env=environment(XDG_DATA_HOME=self.folder / "data"))
        for figure in figures.values():
            self.assertEqual(figure["rows"], ["8", "32", "64", "128", "256", "512", "1024"])
            self.assertGreater(min(self.column(figure, figure["columns"][0]["label"])[:3]), 0)
            self.assertEqual(set(figure["columns"][-1]["values"]), {None})  # the calibration has no such sizes
            self.assertIn("calibrate --quick", figure["conditions"])
            self.assertEqual(figure["claims"][0]["verdict"], "not judged")
        self.assertFalse((self.folder / "data").exists())

    def test_a_simulated_machine_has_tables_of_kernels(self):
        figure = self.figures_of("halo", "--figure", "5", "--simulated", "h100-8")["figure 5"]
        self.assertGreater(self.column(figure, "n = 1024")[-1], self.column(figure, "n = 8")[0])

    def test_kernels_are_not_simulated(self):
        figures = self.figures_of("swcholesky", "--figure", "7,9", "--simulated", "cluster")
        for figure in figures.values():
            self.assertIn("a simulation", figure["not_run"])
            self.assertNotIn("claims", figure)

    def test_the_machines_stand_beside_those_of_the_paper(self):
        figure = self.figures_of("halo", "--figure", "table II", "--simulated", "h100-8")["table II"]
        self.assertEqual(figure["rows"], ["IVB20C", "BABBAGE", "h100-8"])
        self.assertEqual(self.column(figure, "all cores")[:2], [448e9, 332e9])
        rates = [self.column(figure, label)[2] for label in ("all cores", "a device")]
        self.assertTrue(all(1e12 < rate < 1e15 for rate in rates), rates)

    def test_operations_of_all_ranks_are_counted(self):
        figure = self.figures_of("sympack", "--figure", "6", "--matrices", "laplace3d:9", "--nodes", "1,2")["figure 6"]
        self.assertEqual(figure["rows"], ["potrf", "trsm", "syrk", "gemm"])
        for side in ("CPU", "device"):
            self.assertGreater(sum(self.column(figure, f"factor, {side}")), 0, side)
        self.assertIn("times", figure["conditions"])
        mostly_cpu, = figure["claims"]
        self.assertIn("of the factor potrf", mostly_cpu["numbers"])
        shares = [self.column(figure, f"{phase}, {side}") for side in ("device", "CPU") for phase in ("factor", "solve")]
        expected = all(device < cpu for device, cpu in zip(shares[0] + shares[1], shares[2] + shares[3]) if device + cpu > 0)
        self.assertEqual(mostly_cpu["holds"], expected)

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

    def test_coprocessors_take_part_in_strong_scaling(self):
        skip_without_coprocessors()
        report = self.report_of("reproduce", "sympack", "--figure", "7", "--matrices", "laplace2d:20", "--nodes", 1, "--coprocessors", 1,
                                *BRIEFLY, env=self.measured())
        machines = [run["reports"][0].get("machine") for run in report["runs"]]  # none in reports of other solvers
        self.assertEqual({machine["coprocessor_workers"] for machine in machines if machine}, {1})
        self.assertGreater(min(self.column(report["figures"][0], "fan-out")), 0)

    def test_a_run_that_fails_leaves_a_gap(self):
        figures = self.figures_of("swcholesky", "--figure", "table 2", "--matrices", "laplace2d:9,nosuch.mtx")
        self.assertEqual(self.column(figures["table 2"], "n"), [81, None])
        self.assertIn("nosuch.mtx", figures["table 2"]["failures"][0])

    def test_what_is_refused(self):
        self.expect_failure(2, "reproduce", "nosuch", says=["'nosuch'", "sympack, halo, swcholesky"])
        self.expect_failure(2, "reproduce", "halo", "--figure", "99", says=["'99'", "figure 7"])
        self.expect_failure(3, "reproduce", "halo", "--simulated", "nosuch", says="nosuch")
        self.expect_failure(2, "reproduce", "sympack", "--simulated", "cluster", "--coprocessors", 1, says="--coprocessors")
        page = self.folder / "missing" / "page.html"
        self.expect_failure(3, "reproduce", "halo", "--html", page, says=str(page))
        outcome = espalier("reproduce", "halo", "--figure", "table I", "--matrices", "nosuch.mtx", *BRIEFLY)
        self.assertEqual(outcome.code, 7, outcome.err)
        self.assertIn("nosuch.mtx", outcome.err)

        other = self.write("other.json", "{}")
        for file in (other, self.folder / "missing.json"):
            self.expect_failure(3, "reproduce", "halo", "--figure", "7", "--resume", file, says=["--resume", "espalier reproduce"])


class EarlyEnd(ProgramTest):
    SLOW = ("--figure", "table 2,8", "--matrices", "laplace2d:60", "--workers", 1, "--rounds", 3, "--repeat", 2, "--quiet")

    def continued(self, page):
        """Returns the report of a command that continues a page."""
        outcome = espalier("reproduce", "swcholesky", *self.SLOW, "--resume", page, "--report", self.folder / "again.json")
        self.assertEqual(outcome.code, 0, outcome.err)
        return json.loads((self.folder / "again.json").read_text())

    def interrupted_page(self):
        """Returns a page, and the report beside it, of a command that was interrupted while it made the second figure."""
        page, report = self.folder / "page.html", self.folder / "report.json"
        command = [PROGRAM, "reproduce", "swcholesky", *map(str, self.SLOW), "--html", str(page), "--report", str(report)]
        with subprocess.Popen(command, env=environment(TMPDIR=self.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.wait_for(page.exists)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
            self.assertEqual((process.returncode, err), (128 + signal.SIGINT, b"espalier: interrupted\n"))
        self.assertEqual(self.files(), ["page.html", "report.json"])
        return page, json.loads(report.read_text())

    def test_an_interrupted_page_has_the_finished_figures_and_can_be_continued(self):
        page, before = self.interrupted_page()
        read_page(page.read_text())
        self.assertIn("This page is incomplete. Missing: figure 8.", page.read_text())
        self.assertFalse(before["complete"])
        self.assertEqual([figure.get("missing", False) for figure in before["figures"]], [False, True])
        after = self.continued(page)
        self.assertTrue(after["complete"])
        self.assertEqual(after["figures"][0], before["figures"][0])
        self.assertGreater(min(after["figures"][1]["columns"][0]["values"]), 0)
        kept = [run for run in after["runs"] if run in before["runs"]]
        self.assertEqual(kept, before["runs"])

    def test_other_commands_do_not_continue_a_page(self):
        report = self.folder / "report.json"
        common = ("reproduce", "swcholesky", "--figure", "table 2", "--matrices", "laplace2d:9", "--repeat", 2, "--quiet")
        self.assertEqual(espalier(*common, "--rounds", 1, "--report", report).code, 0)
        self.expect_failure(2, *common, "--rounds", 2, "--resume", report, says=["another --rounds", "'1' instead of '2'"])
        self.expect_failure(2, *common, "--rounds", 1, "--workers", 1, "--nodes", 1, "--resume", report, says="another --")
        changed = json.loads(report.read_text())
        changed["conditions"]["processor"] = "another one"
        report.write_text(json.dumps(changed))
        self.expect_failure(2, *common, "--rounds", 1, "--resume", report, says="another processor")

    def test_the_time_limit_leaves_an_incomplete_report(self):
        path = self.folder / "report.json"
        outcome = espalier("reproduce", "swcholesky", "--figure", "table 2,8", "--matrices", "laplace2d:60", "--rounds", 100, "--repeat", 2,
                           "--quiet", "--time-limit", 1, "--report", path)
        self.assertEqual((outcome.code, outcome.out), (0, ""))
        report = json.loads(path.read_text())
        self.assertFalse(report["complete"])
        self.assertIn("time limit of 1 s", report["ending"])
        self.assertEqual(len(report["figures"]), 2)
        self.assertTrue(report["runs"])
        self.assertRegex(outcome.err, r"\Aespalier: .*time limit of 1 s.*figure 8 missing; continue with --resume.*\n\Z")

    def test_a_failure_leaves_the_figures_before_it(self):
        page = self.folder / "page.html"
        tools = self.folder / "tools"
        tools.mkdir()  # a folder of programs without mpirun
        outcome = espalier("reproduce", "sympack", "--figure", "table 1,7", "--matrices", "laplace2d:9", "--nodes", "1,2", *BRIEFLY,
                           "--html", page, env=environment(PATH=tools))
        self.assertEqual((outcome.code, outcome.err.count("\n")), (7, 1), outcome.err)
        self.assertIn("mpirun", outcome.err)
        text = page.read_text()
        self.assertIn("This page is incomplete. mpirun cannot be started", text)
        self.assertIn("Missing: figure 7", text)
        self.assertIn("<td>laplace2d:9</td>", text)


if __name__ == "__main__":
    # A shell may have started this process with an ignored signal, and the program would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
