#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`espalier calibrate` keeps a calibration among the user's data. Later runs use it, update it, and replace a damaged one."""
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from support.coprocessors import has_coprocessors, write_costs
from support.own_files import host_costs
from support.program import ALL_COMBINATIONS, ProgramTest, environment, espalier, main
from support.ranks import MPIRUN, on_ranks


class Calibrate(ProgramTest):
    kept = None  # Files of one calibration. The tests share it, because a calibration takes long under sanitizers.

    def setUp(self):
        super().setUp()
        sampling = self.folder / "sampling"
        (sampling / "bus").mkdir(parents=True)
        (sampling / "codelets").mkdir()
        self.env = environment(XDG_DATA_HOME=self.folder, STARPU_PERF_MODEL_DIR=sampling)

    def calibrated(self):
        """Returns the file of a calibration. It replaced a damaged file, as the warning about damaged files
        advises."""
        if Calibrate.kept is None:
            damaged = self.folder / "espalier" / f"costs-{platform.node()}.json"
            damaged.parent.mkdir()
            damaged.write_text("{")
            self.expect_success("calibrate", "--quick", "--quiet", env=self.env, timeout=100)
            Calibrate.kept = tempfile.TemporaryDirectory()
            shutil.copytree(self.folder, Calibrate.kept.name, dirs_exist_ok=True)
        shutil.copytree(Calibrate.kept.name, self.folder, dirs_exist_ok=True)
        files = list(self.folder.rglob("costs-*.json"))
        self.assertEqual(len(files), 1)
        return files[0]

    def models(self, *arguments):
        return self.report_of(*arguments, env=self.env)["models"]

    def test_is_used_and_learns_from_warm_runs(self):
        file = self.calibrated()
        table = json.loads(file.read_text())
        for key in ("host", "cpu", "kernels", "date"):
            self.assertTrue(table[key], key)
        self.assertEqual(table["gemm_alone"]["classes"], table["gemm"]["classes"])
        self.assertEqual(table["scatter"]["classes"], [*table["gemm"]["classes"][:2], 1])
        expected = {"source": "calibrated", "file": str(file), "date": table["date"]}
        self.assertEqual(self.models("solve", "laplace3d:9"), expected)
        self.assertEqual(self.models("analyze", "laplace3d:9"), expected)
        self.assertEqual(json.loads(file.read_text()), table, "a cold run teaches nothing")
        self.assertEqual(self.models("solve", "laplace3d:14", "--granularity", "tile", "--repeat", 4), expected)
        learnt = json.loads(file.read_text())
        self.assertNotEqual(learnt["tasks"], table["tasks"])
        self.assertEqual(learnt["gemm"], table["gemm"])
        learnt["workers"] += 1
        file.write_text(json.dumps(learnt))
        self.assertEqual(self.models("solve", "laplace3d:14", "--granularity", "tile", "--repeat", 4), expected)
        self.assertEqual(json.loads(file.read_text()), learnt, "fewer workers take other times")

    def test_runs_name_where_costs_come_from(self):
        """The program's text names the calibration and its date. Without a calibration, the text says how to make one."""
        file = self.calibrated()
        page = self.folder / "page.html"
        told = f"the calibration of {json.loads(file.read_text())['date']}, {file}"
        for arguments in (["solve", "laplace3d:5", "--verbose"], ["analyze", "laplace3d:5"]):
            self.assertRegex(self.expect_success(*arguments, env=self.env).out, rf"(?m)^time model +{re.escape(told)}$")
        self.assertNotIn("time model", self.expect_success("solve", "laplace3d:5", env=self.env).out)
        self.expect_success("solve", "laplace3d:5", "--html", page, env=self.env)
        self.assertIn(told, page.read_text())
        file.unlink()
        without = self.expect_success("analyze", "laplace3d:5", env=self.env).out
        self.assertRegex(without, r"(?m)^time model +(built-in estimates|the shipped table .+ of [-0-9]+|the costs of .+); .* run 'espalier calibrate'$")

    def test_runs_without_a_calibration_say_how_good_predictions_were(self):
        report = self.folder / "report.json"
        run = self.expect_success("solve", "laplace3d:24", "--costs", "estimates", "--report", report, env=self.env)
        error = json.loads(report.read_text())["tasks"]["prediction_error"]
        self.assertGreater(error, 0)
        self.assertIn(f"built-in estimates; predicted times are off by {100 * error:.0f} %; for better", run.out)
        self.assertNotIn("are off by", self.expect_success("analyze", "laplace3d:24", "--costs", "estimates").out)

    def test_tells_starpus_own_tools(self):
        self.calibrated()
        models = [path for path in (self.folder / "sampling").rglob("espalier_*") if path.is_file()]
        names = {path.name.split("_")[1] for path in models}
        self.assertEqual(names, {"potrf", "trsm", "syrk", "gemm"})
        for path in models:
            entries = [line.split() for line in path.read_text().splitlines() if re.match(r"[0-9a-f]{8}\s", line)]
            self.assertGreater(len(entries), 5, path.name)
            for entry in entries:
                self.assertGreater(float(entry[3]), 0, f"mean microseconds of {entry[0]} in {path.name}")

    def test_one_of_another_processor_is_passed_over(self):
        file = self.calibrated()
        table = json.loads(file.read_text())
        table["cpu"] = "Another CPU"
        file.write_text(json.dumps(table))
        self.assertIn(self.models("solve", "laplace2d:5")["source"], ("shipped", "scaled", "analytic"))

    def test_goes_to_another_file_where_told(self):
        """The command also reports the source of the old costs. If the old calibration is of a faster machine, a warning says that the new
        one is doubtful."""
        file, out = self.calibrated(), self.folder / "here" / "table.json"
        table = json.loads(file.read_text())
        table["gemm"]["seconds_per_operation"] = [seconds / 4 for seconds in table["gemm"]["seconds_per_operation"]]
        file.write_text(json.dumps(table))
        run = espalier("calibrate", "--quick", "--out", out, env=self.env, timeout=100)
        self.assertEqual(run.code, 0, run.err)
        self.assertGreater(json.loads(out.read_text())["task_seconds"], 0)
        self.assertEqual(json.loads(file.read_text()), table)
        self.assertEqual(self.models("solve", "laplace2d:5")["file"], str(file))
        self.assertIn(f"before, times were predicted by the calibration of {table['date']}, {file}", run.out)
        self.assertRegex(run.err, r"(?m)^espalier: warning: kernels take longer than in the calibration of .*GEMM [0-9.]+ times.*"
                                  r"while nothing else runs")

    def test_describes_the_machine_for_simulations(self):
        own = self.folder / "espalier" / f"machine-{platform.node()}.json"
        named = self.folder / "here.json"
        places = (["--machine"], own), (["--machine", named], named)
        for arguments, file in places if ALL_COMBINATIONS else places[:1]:
            self.expect_success("calibrate", "--workers", 2, "--quick", "--quiet", *arguments, env=self.env, timeout=200)
            machine = json.loads(file.read_text())
            self.assertEqual(machine["cores"], 2)
            self.assertEqual([workers for workers, *_ in machine["load"]], [1, 2])
            self.assertEqual(machine["load"][1][1:], [1, 1])
            self.assertGreater(min(machine["load"][0][1:]), 0)
            self.assertGreater(machine["network"]["byte_seconds"], 0)
            self.assertEqual(machine["costs"]["workers"], 2)
            file.unlink()

    def test_ranks_are_on_machines_of_their_own(self):
        if MPIRUN is None:
            self.skipTest("there is no mpirun")
        variables = {**self.env, "ASAN_OPTIONS": "detect_leaks=0"}
        run = on_ranks(2, "calibrate", "--quick", variables=variables)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        self.assertIn("2 ranks are on " + platform.node(), run.stderr)
        self.assertIn("--map-by ppr:1:node", run.stderr)
        self.assertEqual(list(self.folder.rglob("costs-*")), [])
        run = on_ranks(1, "calibrate", "--quick", "--quiet", variables=variables)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(list(self.folder.rglob("costs-*.json"))), 1)

    def test_may_be_named(self):
        file = self.folder / "there.json"
        known = json.dumps({**host_costs(1), "cpu": "Another CPU"})
        file.write_text(known)
        for command in ("analyze", "laplace2d:9"), ("solve", "laplace2d:9", "--workers", 1, "--repeat", 2):
            models = self.models(*command, "--costs", file)
            self.assertEqual((models["source"], models["file"]), ("named", str(file)))
            self.assertEqual(self.models(*command, "--costs", "estimates")["source"], "analytic")
        self.assertEqual(file.read_text(), known, "nothing refines it")
        file.write_text("{")
        self.expect_failure(3, "solve", "laplace2d:9", "--costs", file, says=(str(file), "damaged"), env=self.env)
        self.expect_failure(3, "analyze", "laplace2d:9", "--costs", self.folder / "none", says="cannot be read", env=self.env)

    def test_needs_a_place(self):
        self.expect_failure(2, "calibrate", says="--out FILE", env=environment(XDG_DATA_HOME=None, HOME=None))

    def test_draws_devices_against_the_host(self):
        self.calibrated()
        self.expect_failure(2, "calibrate", "--show", "rates.svg", "--coprocessors", 1,
                            says=("no table of coprocessors", "espalier calibrate --coprocessors N"), env=self.env)
        sizes = {"classes": [1, 1, 1], "seconds_per_operation": [1e-9]}
        for more in ({}, {"gemm_alone": sizes, "scatter": sizes}):
            file = write_costs(self.folder, **more)
            self.expect_drawn("--coprocessors", 1)
        file.write_text("{")
        self.expect_failure(3, "calibrate", "--show", "rates.svg", "--coprocessors", 1, says=(str(file), "remove it"),
                            env=self.env)

    def test_draws_the_table(self):
        self.calibrated()
        self.expect_drawn()

    def test_devices_learn_from_warm_runs(self):
        if not has_coprocessors():
            self.skipTest("this StarPU has no TCP/IP master-slave workers")
        host = self.calibrated()
        known = host.read_text()
        file = write_costs(self.folder)
        written = json.loads(file.read_text())
        run = ("solve", "laplace3d:14", "--workers", 1, "--coprocessors", 1, "--granularity", "tile",
               "--sched", "fanout", "--sched-option", "threshold_gemm=0", "--sched-option", "threshold_syrk=0")
        self.expect_accurate(self.report_of(*run, env=self.env))
        self.assertEqual(json.loads(file.read_text()), written, "a cold run teaches nothing")
        self.expect_accurate(self.report_of(*run, "--repeat", 4, env=self.env))
        learnt = json.loads(file.read_text())
        self.assertEqual({key for key in learnt if learnt[key] != written.get(key)}, {"tasks"})
        self.assertTrue(learnt["tasks"])
        self.assertEqual(host.read_text(), known, "CPUs were slowed down by the driver of the device")

    def expect_drawn(self, *devices):
        picture = self.folder / "rates.svg"
        outcome = espalier("calibrate", "--show", picture, *devices, env=self.env)
        if subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0:
            self.assertEqual((outcome.code, outcome.err), (0, ""))
            self.assertTrue(picture.read_text().rstrip().endswith("</svg>"))
        else:
            self.assertEqual(outcome.code, 7)
            self.assertIn("python3-matplotlib", outcome.err)
            self.assertFalse(picture.exists())


if __name__ == "__main__":
    main()
