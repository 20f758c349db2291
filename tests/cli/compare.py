#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`espalier compare`: the runs that it makes, the table and files that it writes, and the input that it refuses."""
import csv
import json
import pathlib
import re
import subprocess
import sys
import unittest

from support.charts import read_page
from support.program import ACCEPTED_ERROR, PROGRAM, ProgramTest, environment, espalier, main
from support.ranks import MPIRUN, on_ranks

BENCH = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench"
ROUNDS = 2
TIMED_A_ROUND = 3


class Compare(ProgramTest):
    def compare(self, *arguments, **options):
        return self.expect_success("compare", *arguments, "--repeat", ROUNDS, **options)

    def test_a_line_a_policy_and_matrix(self):
        out = self.compare("laplace2d:40", "laplace3d:9", "--sched", "espalier,lws,fanout:steal=1").out
        tables = out.strip().split("\n\n")
        self.assertEqual(len(tables), 2, out)
        for matrix, table in zip(("laplace2d:40", "laplace3d:9"), tables):
            heading, _, *rows = table.splitlines()
            self.assertIn(f"{matrix}: ", heading)
            rows = [line.split() for line in rows]
            self.assertEqual([row[0] for row in rows], ["espalier", "lws", "fanout:steal=1"])
            # Several policies may be equally fast.
            self.assertTrue(any("1.000" in row for row in rows), out)

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
        self.assertEqual(len(re.findall(r"Reading [^;]+, set-up [^;]+; [^;]+ MiB of memory at the peak, [^;]+ predicted\. "
                                        r"Times are predicted by [a-z]", page.read_text())), 2)

    def test_a_policy_of_the_environment_does_not_get_in_the_way(self):
        out = self.compare("laplace2d:20", "--sched", "lws,espalier,prio", env=environment(STARPU_SCHED="eager")).out
        self.assertNotIn("eager", out)

    def comparisons(self, *arguments):
        """Returns the comparison for each matrix and number of workers."""
        runs = self.folder / "runs.json"
        self.compare(*arguments, "--json", runs, "--quiet")
        return json.loads(runs.read_text())["matrices"]

    def expect_runs(self, comparison, policies, workers):
        self.assertEqual([result["policy"] for result in comparison["policies"]], policies)
        for result in comparison["policies"]:
            self.assertEqual(len(result["runs"]), ROUNDS * TIMED_A_ROUND)
            self.assertGreater(min(run["seconds"] for run in result["runs"]), 0)
            self.assertLessEqual(result["backward_error"], ACCEPTED_ERROR)
            schedule = result["schedule"]
            self.assertEqual(schedule["workers"], workers)
            self.assertEqual({task["worker"] for task in schedule["tasks"]} - set(range(workers)), set())
            self.assertGreater(result["bound_ratio"], 0)
            self.assertLessEqual(max(task["end"] for task in schedule["tasks"]), schedule["seconds"] + 1e-6)

    def test_several_numbers_of_workers_make_a_table_each(self):
        table = self.folder / "runs.csv"
        found = self.comparisons("laplace3d:9", "laplace2d:20", "--sched", "espalier,lws", "--workers", "1,2", "--csv", table)
        self.assertEqual([(one["matrix"]["name"], one["machine"]["cpu_workers"]) for one in found],
                         [("laplace3d:9", 1), ("laplace3d:9", 2), ("laplace2d:20", 1), ("laplace2d:20", 2)])
        for comparison in found:
            self.expect_runs(comparison, ["espalier", "lws"], comparison["machine"]["cpu_workers"])
        with table.open() as file:
            self.assertEqual({(row["ranks"], row["workers"]) for row in csv.DictReader(file)}, {("1", "1"), ("1", "2")})

    @unittest.skipIf(MPIRUN is None, "there is no mpirun")
    def test_ranks_are_started_and_measured(self):
        page = self.folder / "page.html"
        alone, two = self.comparisons("laplace3d:12", "--sched", "espalier,fanout:ready_order=fifo", "--ranks", "1,2",
                                      "--workers", 1, "--granularity", "block", "--mapping=block-cyclic", "--html", page)
        self.assertEqual((alone["machine"]["ranks"], two["machine"]["ranks"], two["machine"]["cpu_workers"]), (1, 2, 2))
        self.assertEqual(two["granularity"], "block")
        for comparison, workers in ((alone, 1), (two, 2)):
            self.expect_runs(comparison, ["espalier", "fanout:ready_order=fifo"], workers)
        tasks = sum(len(policy["schedule"]["tasks"]) for one in (alone, two) for policy in one["policies"])
        self.assertEqual(read_page(page.read_text()).classes["rect", "task"], tasks)

    def test_threads_of_coprocessors_are_workers_or_one_worker(self):
        table = self.folder / "runs.csv"
        for use, workers in (("each", "2"), ("one", "1")):
            self.compare("laplace3d:9", "--workers", 1, "--coprocessors", 1, "--coprocessor-threads", 2,
                         "--coprocessor-workers", use, "--sched", "lws", "--csv", table, "--quiet")
            with table.open() as file:
                self.assertEqual({row["coprocessors"] for row in csv.DictReader(file)}, {workers})

    def test_coprocessors_take_part_and_own_policies_are_those_that_need_them_too(self):
        table = self.folder / "runs.csv"
        arguments = ["laplace3d:12", "--workers", 1, "--coprocessors", 1, "--granularity", "tile"]
        one, = self.comparisons(*arguments, "--sched", "espalier,halo:halo=static0:0.5", "--csv", table)
        self.assertEqual(one["machine"]["coprocessor_workers"], 1)
        self.expect_runs(one, ["espalier", "halo:halo=static0:0.5"], 2)
        with table.open() as file:
            self.assertEqual({row["coprocessors"] for row in csv.DictReader(file)}, {"1"})
        self.assertRegex(self.compare(*arguments, "--sched", "own").out, r"(?m)^halo ")

    @unittest.skipIf(MPIRUN is None, "there is no mpirun")
    def test_the_default_is_told_against_the_best_on_all_places(self):
        lines = self.folder / "lines.json"
        done = subprocess.run([sys.executable, BENCH / "policies.py", "--espalier", PROGRAM, "--sched", "espalier,lws",
                               "--repeat", "2", "--json", lines, "laplace2d:20", "nosuch.mtx"], env=environment(),
                              capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(re.findall(r"(?m)^nosuch.mtx, --.+: espalier: ", done.stdout)), 4, "each place, with the reason")
        self.assertRegex(done.stdout, r"within 2 % of the best in \d of 4\n\Z")
        found = json.loads(lines.read_text())
        self.assertEqual([line["place"] for line in found], ["1 x 1", "1 x 2", "2 x 1", "1 x 1 + 1"])
        for line in found:
            self.assertLessEqual(line["best_seconds"], line["seconds"])
            self.assertGreater(line["ratio"], 0)

    def test_the_best_policy_is_timed_in_rounds_that_did_not_choose_it(self):
        sys.path.insert(0, str(BENCH))
        import policies

        def of(name, *seconds):
            return {"policy": name, "seconds": 2, "runs": [{"round": k, "seconds": s} for k, s in enumerate(seconds)]}
        one = {"matrix": {"name": "a"}, "machine": {"cpu_workers": 1, "ranks": 1, "coprocessor_workers": 0},
               "policies": [of("espalier", 2, 2, 2, 2), of("lws", 1, 3, 1, 3)]}
        self.assertAlmostEqual(policies.line_of(one)["ratio"] ** 2, 2 / 3)

    def test_devices_that_are_not_there_are_not_passed_over(self):
        outcome = espalier("compare", "laplace2d:20", "--sched", "lws", "--repeat", 1, "--cuda-devices", 1)
        if outcome.code == 0:
            self.assertRegex(outcome.out, "CUDA worker")
        else:
            self.assertEqual(outcome.code, 2)
            self.assertIn("leave out --cuda-devices", outcome.err)

    def test_times_are_also_told_over_a_baseline(self):
        runs, table = self.folder / "runs.json", self.folder / "runs.csv"
        out = self.compare("laplace2d:40", "--sched", "espalier,lws,prio", "--baseline", "lws", "--json", runs, "--csv",
                           table).out
        self.assertRegex(out, r"to best +to lws")
        matrix, = json.loads(runs.read_text())["matrices"]
        seconds = {policy["policy"]: policy["seconds"] for policy in matrix["policies"]}
        self.assertEqual(matrix["baseline"], "lws")
        for policy in matrix["policies"]:
            self.assertAlmostEqual(policy["to_baseline"], policy["seconds"] / seconds["lws"])
        with table.open() as file:
            for row in csv.DictReader(file):
                self.assertAlmostEqual(float(row["to_baseline"]) * seconds["lws"], float(row["seconds"]))

    def test_a_message_names_no_option_that_is_not_there(self):
        known = set(re.findall(r"^ +(?:-h, )?(--[a-z-]+)", self.expect_success("compare", "--help").out, re.M))
        self.assertIn("--coprocessors", known)
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 -1\n")
        huge = self.write("huge.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n"
                                      "1 1 1e308\n2 1 9e307\n2 2 1e308\n")
        places = [["--workers", 1], ["--workers", 1, "--coprocessors", 1]] + [["--ranks", 2]] * (MPIRUN is not None)
        wrong = [["laplace2d:3", "--sched", "halo"], ["laplace2d:3", "--sched", "lws,"], ["laplace2d:3", "--sched", "nosuch"],
                 ["laplace2d:3", "--sched", "lws,lws"], ["laplace2d:3", "--baseline", "nosuch"],
                 ["laplace2d:3", "--cuda-devices", 1, "--coprocessors", 1], ["laplace2d:3", "--workers", "1,-1"],
                 ["laplace2d:3", "--ranks", "1,x"], ["laplace2d:3", "--grid", "2"],
                 ["laplace2d:3", "--sched", "halo:device_memory=1", "--ranks", 1], ["laplace2d:3", "--ordering", "ptscotch"],
                 ["laplace2d:3", "--csv", self.folder, "--quiet"]]
        wrong += [[matrix, "--sched", "lws", "--repeat", 1, *place]
                  for matrix in (bad, "nosuch.mtx", huge) for place in places]
        codes = set()
        for arguments in wrong:
            with self.subTest(arguments=arguments):
                outcome = espalier("compare", *arguments)
                codes.add(outcome.code)
                self.assertRegex(outcome.err, r"\Aespalier: [^\n]+\n\Z")
                named = set(re.findall(r"(?<![\w-])--[a-z-]+", outcome.err.replace("espalier solve --factorization", "")))
                self.assertLessEqual(named, known, outcome.err)
        self.assertEqual(codes, {1, 2, 3, 4, 6})

    @unittest.skipIf(MPIRUN is None, "there is no mpirun")
    def test_it_is_no_rank_itself(self):
        run = on_ranks(2, "compare", "laplace2d:3")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--ranks", run.stderr)

    def test_what_is_refused(self):
        self.expect_failure(6, "compare", "nosuch.mtx", "--sched", "lws,nosuch", says=["'nosuch'", "fanout", "lws"])
        self.expect_failure(2, "compare", "laplace2d:3", "--sched", "lws,lws", says="lws twice")
        self.expect_failure(2, "compare", "laplace2d:3", "--sched", "fanout:nosuch=1", says="'nosuch'")
        self.expect_failure(2, "compare", "laplace2d:3", "--sched", "lws,prio", "--baseline", "espalier",
                            says=("--baseline", "espalier", "--sched"))
        self.expect_failure(2, "compare", "laplace2d:3", "--coprocessors", "0,1", "--cuda-devices", 1,
                            says="leave out --cuda-devices or --coprocessors")
        self.expect_failure(6, "compare", "laplace2d:3", "--sched", "halo", "--coprocessors", "1,0", says="--coprocessors")
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
