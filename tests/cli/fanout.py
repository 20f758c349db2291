# SPDX-License-Identifier: BSD-3-Clause
"""Fan-out and fan-both by blocks: the tasks and messages of the papers, and for fan-out their joining to fewer tasks of StarPU and fewer
messages."""
import json
import sys
import unittest

from support import fan_out
from support.matrices import grid_entries, symmetric
from support.program import ProgramTest
from support.ranks import MPIRUN, on_ranks

FANOUT = ["--sched", "fanout"]
KINDS = ["diagonal", "factor", "update"]
NO_MERGING = ["--ordering", "natural", "--amalgamation-widths", "0,0,0,0"]
GRIDS = {2: (1, 2), 3: (1, 3), 4: (2, 2), 6: (2, 3)}


class Blocks(ProgramTest):
    mapping = "block-cyclic"
    policy = FANOUT

    def run_on(self, ranks, matrix, *options, workers=1, policy=None, granularity="block"):
        return on_ranks(ranks, "solve", matrix, "--workers", workers, "--mapping", self.mapping, "--granularity", granularity,
                        *(self.policy if policy is None else policy), *options)

    def solve(self, ranks, matrix, *options, **settings):
        report = self.folder / "r.json"
        run = self.run_on(ranks, matrix, "--report", report, *options, **settings)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(report.read_text())

    def write_dissected_grid(self, m):
        """Writes the Laplacian of a grid, in a postorder of its elimination tree. Returns the file and the columns of L."""
        entries = {(i - 1, j - 1): value for (i, j), value in grid_entries(m).items()}
        order = fan_out.dissected(m)
        columns = fan_out.columns_of_l(m * m, fan_out.renumbered(order, entries))
        order = [order[vertex] for vertex in fan_out.postorder(columns)]
        lower = fan_out.renumbered(order, entries)
        values = {(i + 1, j + 1): -1.0 for i, j in lower} | {(i, i): 4.0 for i in range(1, m * m + 1)}
        return self.write("grid.mtx", symmetric(m * m, values)), fan_out.columns_of_l(m * m, lower)



class FanOut(Blocks):
    def test_has_the_tasks_and_messages_of_the_paper(self):
        file, columns = self.write_dissected_grid(13)
        for ranks, (rows, cols) in GRIDS.items():
            expected = fan_out.count(columns, rows, cols)
            with self.subTest(ranks=ranks):
                report = self.solve(ranks, file, *NO_MERGING)
                tasks = report["tasks"]
                self.assertEqual([tasks[kind] for kind in KINDS], [expected.diagonal, expected.factor, expected.update])
                for rank in report["ranks"]:
                    self.assertEqual(rank["blocks_sent"], expected.sent[rank["rank"]])
                    self.assertEqual(rank["messages"], expected.panels_sent[rank["rank"]])
                self.assertEqual(report["distribution"]["blocks_sent"], sum(expected.sent.values()))
                self.assertLess(tasks["submitted"], sum(tasks[kind] for kind in KINDS))

    def test_sends_each_block_by_itself_without_joining(self):
        file, columns = self.write_dissected_grid(9)
        for policy in [*FANOUT, "--sched-option", "join=0"], ["--sched", "eager"]:
            report = self.solve(4, file, *NO_MERGING, policy=policy)
            self.assertEqual([rank["messages"] for rank in report["ranks"]], [rank["blocks_sent"] for rank in report["ranks"]])
            self.assertEqual([rank["messages"] for rank in report["ranks"]],
                             [fan_out.count(columns, 2, 2).sent[rank] for rank in range(4)])
            self.assertEqual(report["tasks"]["submitted"], sum(report["tasks"][kind] for kind in KINDS))

    def test_joins_without_changing_the_solution(self):
        for ranks, workers, options in ((1, 1, []), (1, 3, []), (1, 2, ["--sched-option", "grid=3x1"]), (2, 2, []), (3, 1, []),
                                        (4, 1, []), (2, 3, ["--sched-option", "grid=2x2", "--repeat", 5])):
            with self.subTest(ranks=ranks, workers=workers, options=options):
                joined, alone = (self.solve(ranks, "laplace3d:8", *options, "--sched-option", f"join={join}", workers=workers)
                                 for join in (1, 0))
                self.assertEqual([joined["tasks"][kind] for kind in KINDS], [alone["tasks"][kind] for kind in KINDS])
                self.assertEqual(joined["distribution"]["blocks_sent"], alone["distribution"]["blocks_sent"])
                for report in joined, alone:
                    self.assertLess(report["solution"]["backward_error"], 1e-14)
                    self.assertEqual(sum(kind["count"] for kind in report["kinds"]), sum(report["tasks"][kind] for kind in KINDS))
                self.assertLess(joined["tasks"]["submitted"], alone["tasks"]["submitted"])

    def test_has_the_same_bits_with_and_without_joining(self):
        x = []
        for join in "0", "1":
            for workers in 1, 2:
                out = self.folder / "x.mtx"
                self.solve(2, "laplace3d:7", "--deterministic", "--out", out, "--sched-option", f"join={join}", workers=workers)
                x.append(out.read_text())
        self.assertEqual(len(set(x)), 1)

    def test_ends_all_ranks_after_a_failed_pivot(self):
        entries = grid_entries(12)
        entries[77, 77] = -4.0
        file = self.write("bad.mtx", symmetric(144, entries))
        for ranks, workers in (1, 2), (2, 1), (4, 1):
            with self.subTest(ranks=ranks):
                run = self.run_on(ranks, file, workers=workers)
                self.assertEqual(run.returncode, 4, run.stderr)
                self.assertIn("column 77 ", run.stderr)


class FanBoth(Blocks):
    mapping = "fan-both"
    policy = []

    def test_has_the_tasks_and_messages_of_the_paper(self):
        file, columns = self.write_dissected_grid(11)
        for rows, cols in (1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2):
            with self.subTest(rows=rows, cols=cols):
                expected = fan_out.count_fan_both(columns, rows, cols)
                report = self.solve(rows * cols, file, *NO_MERGING, "--grid", f"{rows}x{cols}")
                self.assertEqual((report["tasks"]["update"], report["tasks"]["reduce"]), (expected.update, expected.reduce))
                self.assertEqual(report["distribution"]["mapping"], "fan-both")
                for rank in report["ranks"]:
                    self.assertEqual(rank["messages"], expected.sent[rank["rank"]])
                    self.assertEqual(rank["blocks_sent"], expected.sent[rank["rank"]])

    def test_has_the_grid_of_fan_out_if_none_is_given(self):
        file, columns = self.write_dissected_grid(9)
        for ranks, grid in GRIDS.items():
            report = self.solve(ranks, file, *NO_MERGING)
            self.assertEqual(report["distribution"]["messages"], sum(fan_out.count_fan_both(columns, *grid).sent.values()))

    def test_solves_under_every_policy_and_granularity(self):
        for ranks, grid in (2, "2x1"), (4, "2x2"):
            for policy, granularity in (FANOUT, "block"), (["--sched", "lws"], "block"), ([], "panel"), ([], "tile"):
                with self.subTest(ranks=ranks, policy=policy, granularity=granularity):
                    report = self.solve(ranks, "laplace3d:8", "--grid", grid, "--repeat", 3, workers=2, policy=policy,
                                        granularity=granularity)
                    self.assertLess(report["solution"]["backward_error"], 1e-14)
                    self.assertGreater(report["tasks"]["reduce"], 0)

    def test_ends_all_ranks_after_a_failed_pivot(self):
        entries = grid_entries(12)
        entries[77, 77] = -4.0
        run = self.run_on(4, self.write("bad.mtx", symmetric(144, entries)))
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn("column 77 ", run.stderr)


if __name__ == "__main__":
    if MPIRUN is None:
        print("there is no mpirun")
        sys.exit(77)
    unittest.main()
