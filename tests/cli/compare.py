#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Comparing policies: what is run, what the table and the files say of it, what is refused."""
import csv
import json

from support.charts import read_page
from support.program import ACCEPTED_ERROR, ProgramTest, environment, espalier, main

ROUNDS = 2
TIMED_A_ROUND = 3


class Compare(ProgramTest):
    def compare(self, *arguments, **options):
        return self.expect_success("compare", *arguments, "--repeat", ROUNDS, **options)

    def test_a_line_a_policy_and_matrix(self):
        out = self.compare("laplace2d:40", "laplace3d:9", "--sched", "espalier,lws,fanout:steal=1").out
        for matrix in ("laplace2d:40", "laplace3d:9"):
            self.assertIn(f"{matrix}: ", out)
        rows = [line.split() for line in out.splitlines()]
        for policy in ("espalier", "lws", "fanout:steal=1"):
            self.assertEqual(sum(row[:1] == [policy] for row in rows), 2)
        self.assertEqual(sum("1.000" in row for row in rows), 2, out)

    def test_the_files_hold_all_runs(self):
        table, runs = self.folder / "runs.csv", self.folder / "runs.json"
        policies = ["espalier", "eager", "fanout"]
        outcome = self.compare("laplace3d:12", "--sched", ",".join(policies), "--csv", table, "--json", runs,
                               "--granularity", "block", "--workers", 2, "--quiet")
        self.assertEqual(outcome.out, "")
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(policies) * ROUNDS * TIMED_A_ROUND)
        matrix, = json.loads(runs.read_text())["matrices"]
        self.assertEqual(matrix["granularity"], "block")
        self.assertEqual(matrix["machine"]["cpu_workers"], 2)
        for policy, result in zip(policies, matrix["policies"], strict=True):
            self.expect_consistent(policy, result)
            mine = [float(row["seconds"]) for row in rows if row["policy"] == row["active"] == policy]
            self.assertEqual(mine, [run["seconds"] for run in result["runs"]])

    def expect_consistent(self, policy, result):
        self.assertEqual((result["policy"], result["active"]), (policy, policy))
        self.assertLessEqual(result["backward_error"], ACCEPTED_ERROR)
        self.assertGreaterEqual(result["ratio"], 1)
        self.assertEqual([run["round"] for run in result["runs"]], [0] * TIMED_A_ROUND + [1] * TIMED_A_ROUND)
        seconds = sorted(run["seconds"] for run in result["runs"])
        self.assertTrue(seconds[2] <= result["seconds"] <= seconds[3])
        schedule = result["schedule"]
        self.assertEqual(schedule["seconds"], seconds[0])
        busy = sum(task["end"] - task["begin"] for task in schedule["tasks"])
        self.assertAlmostEqual(busy + schedule["idle_seconds"] + schedule["runtime_seconds"], 2 * seconds[0])
        work = sum(task["predicted_seconds"] for task in schedule["tasks"])
        self.assertAlmostEqual(schedule["bound_seconds"], max(schedule["critical_path_seconds"], work / 2))

    def test_the_page_has_every_task_of_the_fastest_runs(self):
        page, runs = self.folder / "page.html", self.folder / "runs.json"
        self.compare("laplace3d:10", "laplace2d:30", "--sched", "espalier,lws", "--html", page, "--json", runs,
                     "--workers", 2, "--quiet")
        tasks = sum(len(policy["schedule"]["tasks"]) for matrix in json.loads(runs.read_text())["matrices"]
                    for policy in matrix["policies"])
        found = read_page(page.read_text())
        self.assertEqual(found.classes["rect", "task"], tasks)
        self.assertEqual(found.classes["circle", "task"], tasks)
        self.assertEqual(found.classes["rect", "bar"], 4)
        self.assertEqual(found.elements["svg"], 2 + 4 * 4)

    def test_a_policy_of_the_environment_does_not_get_in_the_way(self):
        out = self.compare("laplace2d:20", "--sched", "lws,espalier,prio", env=environment(STARPU_SCHED="eager")).out
        self.assertNotIn("eager", out)

    def test_what_is_refused(self):
        self.expect_failure(6, "compare", "nosuch.mtx", "--sched", "lws,nosuch", says=["'nosuch'", "fanout", "lws"])
        self.expect_failure(2, "compare", "laplace2d:3", "--sched", "lws,lws", says="lws twice")
        self.expect_failure(2, "compare", "laplace2d:3", "--sched", "fanout:nosuch=1", says="'nosuch'")
        self.expect_failure(2, "compare", says="MATRIX")
        self.expect_failure(3, "compare", "nosuch.mtx", says="nosuch.mtx")
        missing = self.folder / "missing" / "runs.csv"
        self.expect_failure(3, "compare", "laplace2d:3", "--csv", missing, says=str(missing))
        both = self.folder / "both"
        self.expect_failure(2, "compare", "laplace2d:3", "--csv", both, "--json", both, says="same file")

    def test_a_failure_leaves_no_file(self):
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 -1\n")
        outcome = espalier("compare", "laplace2d:9", bad, "--sched", "lws", "--csv", self.folder / "runs.csv")
        self.assertEqual(outcome.code, 4)
        self.assertIn("column 1 ", outcome.err)
        self.assertEqual(self.files(), ["bad.mtx"])


if __name__ == "__main__":
    main()
