# SPDX-License-Identifier: BSD-3-Clause
"""The program under mpirun: solutions equal those of one rank, and reports are right."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support.charts import read_page, task_rects
from support.processes import ProcessTest
from support.program import PROGRAM
from support.ranks import MPIRUN, on_ranks, rank_environment

KINDS = ["diagonal", "factor", "update", "subtree", "assemble", "reduce"]


class Ranks(ProcessTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        super().setUp()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def solve(self, ranks, matrix, *options):
        out, report = self.path("x.mtx"), self.path("r.json")
        run = on_ranks(ranks, "solve", "--workers", 1, matrix, "--out", out, "--report", report, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(out) as file:
            lines = [line for line in file if not line.startswith("%")]
        with open(report) as file:
            return run.stdout, [float(line) for line in lines[1:]], json.load(file)

    def test_solves_on_any_number_of_ranks(self):
        for ranks in 1, 2, 3:
            for mapping in "proportional", "block-cyclic", "fan-both", "3d":
                with self.subTest(ranks=ranks, mapping=mapping):
                    text, x, report = self.solve(ranks, "laplace2d:30", "--mapping", mapping, "--nrhs", "2")
                    self.assertEqual(len(x), 1800)
                    self.assertTrue(all(abs(value - 1) < 1e-9 for value in x[:900]))
                    self.assertTrue(all(abs(value - 2) < 1e-9 for value in x[900:]))
                    self.assertEqual(report["machine"]["ranks"], ranks)
                    self.assertEqual(len(report["ranks"]), ranks if ranks > 1 else 0)
                    self.assertEqual(text.count("backward error"), 1)

    def test_layers_solve_under_every_policy_and_granularity(self):
        for policy, granularity in ("fanout", "block"), ("lws", "block"), ("espalier", "panel"), ("espalier", "tile"):
            for grid in "1x1", "1x2":
                with self.subTest(policy=policy, granularity=granularity, grid=grid):
                    _, _, report = self.solve(4, "laplace3d:8", "--mapping", "3d", "--grid", grid, "--sched", policy,
                                              "--granularity", granularity)
                    self.assertEqual(report["distribution"]["mapping"], "3d")
                    self.assertLess(report["solution"]["backward_error"], 1e-14)
                    self.assertGreater(report["tasks"]["reduce"], 0)

    def test_layers_need_a_grid_that_divides_the_ranks(self):
        run = on_ranks(4, "solve", "laplace2d:9", "--mapping", "3d", "--grid", "3x1")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("rows times columns must divide 4, the number of ranks", run.stderr)

    def test_wrong_usage_replaces_the_report_of_an_earlier_run(self):
        for code, words in ((2, ["--nosuch"]), (2, ["--factorization", "ldlt", "--kernels", "blas"]), (6, ["--sched", "nosuch"])):
            with self.subTest(words=words):
                with open(self.path("r.json"), "w") as file:
                    file.write('{"status": "ok"}')
                run = on_ranks(2, "solve", "laplace2d:9", "--report", self.path("r.json"), *words)
                with open(self.path("r.json")) as file:
                    report = json.load(file)
                self.assertEqual((run.returncode, report["status"]), (code, "error"))
                self.assertIn(f"espalier: {report['message']}\n", run.stderr)

    def test_matrices_without_rows(self):
        with open(self.path("none.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n")
        for matrix in self.path("none.mtx"), self.write_parts(self.path("none.mtx"), 2):
            for options in ([], ["--mapping", "block-cyclic", "--granularity", "block"], ["--ordering", "ptscotch"]):
                with self.subTest(matrix=matrix, options=options):
                    _, x, report = self.solve(2, matrix, "--nrhs", "2", *options)
                    self.assertEqual((x, report["matrix"]["n"], report["solution"]["backward_error"]), ([], 0, 0))

    def test_right_hand_sides_of_several_files(self):
        files = {"b.mtx": "array real general\n9 1\n" + "0\n" * 9, "c.mtx": "coordinate real general\n9 2 2\n5 2 1\n1 2 0\n"}
        options = []
        for name, text in files.items():
            with open(self.path(name), "w") as file:
                file.write("%%MatrixMarket matrix " + text)
            options += ["--rhs", file.name]
        _, x, _ = self.solve(2, "laplace2d:3", *options)
        self.assertEqual(x[:18], [0.0] * 18)
        self.assertAlmostEqual(x[22], 2 / 5, delta=1e-15)  # entry of the inverse, by hand: s = 3/2 k, c = 8/3 s, 4 c = 1 + 4 s

    def test_right_hand_sides_go_in_blocks_that_fit(self):
        """The solutions of a block overwrite its right-hand sides, which only the root holds completely."""
        count, vector = 400, 2500 * 8
        one, all_at_once = (self.solve(2, "laplace2d:50", "--nrhs", nrhs)[2]["symbolic"]["predicted_peak_bytes"]
                            for nrhs in (1, count))
        limit = one + count * vector + 20 * vector
        self.assertGreater(all_at_once, limit)
        _, x, report = self.solve(2, "laplace2d:50", "--nrhs", count, "--memory-limit", limit)
        self.assertLessEqual(report["symbolic"]["predicted_peak_bytes"], limit)
        self.assertEqual(report["solve"]["nrhs"], count)
        self.assertTrue(all(abs(value - (k // 2500 + 1)) < 1e-9 * (k // 2500 + 1) for k, value in enumerate(x)))
        run = on_ranks(2, "solve", "laplace2d:50", "--nrhs", count, "--memory-limit", one + (count - 2) * vector)
        self.assertEqual(run.returncode, 5, run.stderr)

    def test_fan_out_by_blocks_has_the_tasks_of_the_paper_on_any_number_of_ranks(self):
        """The tasks are all D, F and U, each on one rank, without subtrees and without contributions to sum up."""
        kinds = None
        for ranks in 1, 2, 4:
            with self.subTest(ranks=ranks):
                _, x, report = self.solve(ranks, "laplace3d:9", "--mapping", "block-cyclic", "--granularity", "block")
                self.assertTrue(all(abs(value - 1) < 1e-9 for value in x))
                found = {kind: report["tasks"][kind] for kind in KINDS}
                kinds = kinds or found
                self.assertEqual(found, kinds)
        self.assertGreater(kinds["update"], kinds["factor"])
        self.assertEqual([kinds[kind] for kind in ("subtree", "assemble", "reduce")], [0, 0, 0])

    def test_predict_what_one_process_does(self):
        """Two ranks sum up contributions to shared panels in tasks that one rank does not need. The comparison leaves
        these tasks out."""
        alone, two = (sum(kind["predicted_seconds"] for kind in self.solve(ranks, "irregular2d:20000")[2]["kinds"]
                          if kind["kind"] not in ("assemble", "reduce")) for ranks in (1, 2))
        self.assertLess(abs(two - alone), 0.06 * alone)

    def test_draws_the_tasks_of_all_ranks(self):
        page, trace = self.path("page.html"), self.path("trace")
        _, _, report = self.solve(3, "laplace3d:12", "--html", page, "--trace", trace)
        tasks = sum(report["tasks"][kind] for kind in KINDS)
        with open(page) as file:
            self.assertEqual(read_page(file.read()).classes["rect", "task"], tasks)
        with open(os.path.join(trace, "gantt.svg")) as file:
            rects = task_rects(file.read())
        self.assertEqual(len(rects), tasks)
        self.assertEqual(len({rect["y"] for rect in rects}), 3)
        with open(os.path.join(trace, "trace.json")) as file:
            events = json.load(file)["traceEvents"]
        ran = [event["pid"] for event in events if event.get("cat") == "task"]
        self.assertEqual((len(ran), set(ran)), (tasks, {1, 2, 3}))
        self.assertIn("ordering", [event["name"] for event in events if event.get("cat") == "phase"])

    def write_parts(self, spec, parts):
        file = self.path("parts.mtx")
        subprocess.run([PROGRAM, "generate", spec, file, "--parts", str(parts), "--quiet"], check=True, timeout=60)
        return file

    def test_reads_a_matrix_in_parts(self):
        for ranks in 1, 3:
            with self.subTest(ranks=ranks):
                file = self.write_parts("laplace2d:30", ranks)
                _, x, report = self.solve(ranks, file, "--nrhs", "2", "--repeat", "2")
                self.assertTrue(all(abs(value - 1) < 1e-9 for value in x[:900]))
                self.assertTrue(all(abs(value - 2) < 1e-9 for value in x[900:]))
                self.assertEqual((report["matrix"]["n"], report["matrix"]["nnz_lower"]), (900, 2640))
                os.remove(self.path("parts.0.mtx"))

    def test_orders_on_all_ranks(self):
        structures = set()
        for ranks in 1, 2, 3:
            for matrix in "laplace2d:30", self.write_parts("laplace2d:30", ranks):
                with self.subTest(ranks=ranks, matrix=matrix):
                    _, x, report = self.solve(ranks, matrix, "--ordering", "ptscotch")
                    self.assertTrue(all(abs(value - 1) < 1e-9 for value in x))
                    self.assertEqual(report["ordering"]["method"], "ptscotch")
                    structures.add(report["symbolic"]["nnz_l"])
        self.assertGreater(len(structures), 1)  # two ranks get another ordering than one

    def test_orders_as_one_rank_without_mpirun(self):
        run = subprocess.run([PROGRAM, "solve", "laplace2d:30", "--ordering", "ptscotch", "--workers", "1", "--report",
                              self.path("r.json")], env=rank_environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.path("r.json")) as file:
            self.assertEqual(json.load(file)["ordering"]["method"], "ptscotch")

    def test_refuses_parts_that_do_not_fit(self):
        file = self.write_parts("laplace2d:9", 4)
        self.expect_failure(3, "parts.3.mtx", file)
        os.remove(self.path("parts.3.mtx"))
        self.expect_failure(3, "diagonal", file)
        os.remove(self.path("parts.1.mtx"))
        self.expect_failure(3, "parts.1.mtx", file)
        shutil.copy(self.path("parts.2.mtx"), self.path("parts.1.mtx"))
        self.expect_failure(3, "parts.2.mtx: column", file)

    def test_sums_the_queues_of_all_ranks(self):
        _, _, report = self.solve(2, "laplace2d:30", "--sched", "ktq", "--granularity", "block")
        self.assertEqual(sum(queue["tasks"] for queue in report["scheduler"]["queues"]),
                         sum(kind["count"] for kind in report["kinds"]))

    def test_has_the_sizes_of_the_queues_of_each_rank(self):
        _, _, report = self.solve(3, "laplace2d:60", "--sched", "fanout", "--granularity", "block")
        sizes = report["scheduler"]["queue_sizes"]
        self.assertEqual([rank["rank"] for rank in sizes], [0, 1, 2])
        for rank in sizes:
            self.assertEqual((len(rank["ltq"]), len(rank["rtq"])), (64, 64))
            self.assertAlmostEqual(64 * rank["interval_seconds"], report["factor"]["seconds"], delta=1e-9)
            self.assertGreater(max(rank["ltq"]), 0)

    def test_refuses_to_fuse_what_other_ranks_have(self):
        self.expect_failure(2, "option fuse", "laplace2d:9", "--sched", "ktq", "--sched-option", "fuse=1")

    def expect_failure(self, code, word, *arguments):
        run = on_ranks(3, "solve", "--workers", 1, *arguments)
        said = [line for line in run.stderr.splitlines() if line.startswith("espalier:")]
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual(len(said), 1, run.stderr)
        self.assertIn(word, said[0])


if __name__ == "__main__":
    if MPIRUN is None:
        print("there is no mpirun")
        sys.exit(77)
    unittest.main()
