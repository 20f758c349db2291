#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program reads its measurements of the machine without being asked to. If such a file is damaged or cannot be written, the program
warns, completes the run, and leaves the file as it is."""
import json
import os
import pathlib
import random
import shutil

from support.coprocessors import has_coprocessors, write_costs
from support.own_files import host_costs, machine, own_file, tuning
from support.program import ProgramTest, environment, espalier, main
from support.ranks import MPIRUN, on_ranks, rank_environment

SOLVE = ("solve", "laplace2d:10", "--workers", 1)
WARM = (*SOLVE, "--repeat", 2)
# "NUMBER" is replaced by a number.
COSTS = {**host_costs(1), "task_seconds": "NUMBER"}
TUNING = tuning(1, tile_rows="NUMBER")
MACHINE = {**machine(2), "cores": "NUMBER"}


def with_number(content, number):
    return json.dumps(content).replace('"NUMBER"', number).encode()


def damaged(content):
    """Yields (description, content) for each kind of damaged file."""
    whole = with_number(content, "2")
    version = next(iter(content))
    yield "empty", b""
    yield "cut off", whole[:len(whole) // 2]
    yield "random", random.Random(1).randbytes(4000)
    yield "a list", b"[]"
    yield "without members", b"{}"
    yield "of a later version", with_number({**content, version: 99}, "2")
    yield "a word", with_number(content, '"two"')
    yield "negative", with_number(content, "-2")
    yield "infinite", with_number(content, "1e999")


class Caches(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        (self.data / "espalier").mkdir(parents=True)
        self.env = environment(XDG_DATA_HOME=self.data)

    def put(self, kind, content):
        file = own_file(self.data, kind)
        file.write_bytes(content)
        return file

    def put_damaged(self, kind, content):
        """Yields (description, file) while the file is damaged in this way."""
        for what, text in damaged(content):
            yield what, self.put(kind, text)
        file = own_file(self.data, kind)
        file.unlink()
        file.mkdir()
        yield "a folder", file
        file.rmdir()
        file.symlink_to("/dev/full")
        yield "a device without end", file
        file.unlink()
        file.symlink_to(file.name)
        yield "a link to itself", file
        file.unlink()

    def expect_warning(self, says, *arguments, **options):
        """Expects success and one line on stderr that contains all strings of `says`."""
        outcome = espalier(*arguments, **{"env": self.env, **options})
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertRegex(outcome.err, r"\Aespalier: warning: [^\n]+\n\Z")
        for part in says:
            self.assertIn(part, outcome.err)
        return outcome

    def expect_solved(self, says, *arguments):
        """Expects one warning and the right solution. Returns the report."""
        report, solution = self.folder / "report.json", self.folder / "x.mtx"
        self.expect_warning(says, *arguments, "--report", report, "--out", solution)
        size, *x = [line for line in solution.read_text().splitlines() if not line.startswith("%")]
        self.assertEqual((size, len(x)), ("100 1", 100))
        self.assertLess(max(abs(float(one) - 1) for one in x), 1e-10)
        report = json.loads(report.read_text())
        self.expect_accurate(report)
        self.assertEqual(len(report["warnings"]), 1)
        return report

    def expect_left_out(self, kind, content, *arguments, advice):
        for what, file in self.put_damaged(kind, content):
            with self.subTest(what):
                before = file.read_bytes() if file.is_file() else None
                report = self.expect_solved((str(file), advice, "remove it"), *arguments)
                self.assertNotIn("calibrated", report["models"].values())
                self.assertNotEqual(report["tuning"]["source"], "tuned")
                self.assertNotEqual(report["offload"]["costs"], "calibrated")
                if before is not None:
                    self.assertEqual(file.read_bytes(), before)
        with self.subTest("of another processor"):
            self.put(kind, with_number({**content, "cpu": "Another CPU"}, "2"))
            self.expect_solved(("made on another processor", advice), *arguments)

    def test_a_calibration(self):
        self.expect_left_out("costs", COSTS, *WARM, advice="run espalier calibrate again")
        self.put("costs", with_number(COSTS, "1e-6"))
        report = self.report_of(*SOLVE, env=self.env)
        self.assertEqual((report["models"]["source"], report["warnings"]), ("calibrated", []))

    def test_a_tuning(self):
        self.expect_left_out("tuning-1", TUNING, *SOLVE, advice="run espalier tune again")
        self.put("tuning-1", with_number(TUNING, "64"))
        report = self.report_of(*SOLVE, env=self.env)
        self.assertEqual((report["tuning"]["source"], report["warnings"]), ("tuned", []))

    def test_a_calibration_of_devices(self):
        if not has_coprocessors():
            self.skipTest("this StarPU has no TCP/IP master-slave workers")
        content = json.loads(write_costs(self.data).read_text())
        self.expect_left_out("costs-coprocessor", {**content, "task_seconds": "NUMBER"}, *WARM, "--coprocessors", 1,
                             "--sched", "halo", advice="run espalier calibrate again with such devices")
        self.put("costs-coprocessor", b"{")
        self.expect_failure(3, *SOLVE, "--coprocessors", 1, "--sched", "fanout", "--sched-option", "thresholds=calibrated",
                            says="is damaged", env=self.env)

    def test_the_description_of_the_machine(self):
        """If the description of the machine is damaged, a run with another number of workers than the calibration warns that
        nothing was learnt."""
        calibration = self.put("costs", json.dumps(host_costs(2)).encode())
        for what, file in self.put_damaged("machine", MACHINE):
            with self.subTest(what):
                before = calibration.read_bytes()
                self.expect_solved(("learnt nothing", str(file), "run espalier calibrate --machine again"), *WARM)
                self.assertEqual(calibration.read_bytes(), before)
                self.expect_failure(3, "simulate", "laplace2d:5", says=str(file), env=self.env)
        self.put("machine", with_number(MACHINE, "2"))
        self.assertEqual(self.report_of(*WARM, env=self.env)["warnings"], [])
        self.assertNotEqual(calibration.read_bytes(), before)

    def test_a_file_in_the_place_of_the_folder(self):
        shutil.rmtree(self.data)
        self.data.touch()
        self.expect_solved((f"{self.data} is not a folder", "remove it", "XDG_DATA_HOME"), *WARM)
        for command in (("calibrate",), ("calibrate", "--machine"), ("tune", "laplace2d:5")):
            self.expect_failure(3, *command, says=(str(self.data), "Not a directory"), env=self.env, timeout=15)
        self.assertEqual(self.data.read_bytes(), b"")

    def test_a_calibration_that_cannot_be_replaced(self):
        """The file exists only in memory. It has no name in a folder, so no file can replace it."""
        content = json.dumps(host_costs(1))
        memory = os.memfd_create("costs")
        self.addCleanup(os.close, memory)
        place = pathlib.Path(f"/proc/{os.getpid()}/fd/{memory}")
        place.write_text(content)
        own_file(self.data, "costs").symlink_to(place)
        report = self.expect_solved(("learnt nothing", str(own_file(self.data, "costs")), "cannot be created"), *WARM)
        self.assertEqual(report["models"]["source"], "calibrated")
        self.assertEqual(place.read_text(), content)
        self.assertEqual(self.report_of(*SOLVE, env=self.env)["warnings"], [])
        self.expect_failure(3, "calibrate", says="cannot be created", env=self.env, timeout=15)
        self.assertEqual(place.read_text(), content)

    def test_a_folder_where_the_result_shall_be(self):
        for command, kind in ((("calibrate",), "costs"), (("calibrate", "--machine"), "machine"),
                              (("tune", "laplace2d:5", "--workers", 1), "tuning-1")):
            place = own_file(self.data, kind)
            place.mkdir()
            self.expect_failure(3, *command, says=(str(place), "cannot be created"), env=self.env, timeout=15)
            place.rmdir()

    def test_every_file_is_told_of_once_and_by_every_command(self):
        costs, tuned = self.put("costs", b"{"), self.put("tuning-1", b"[]")
        for command in (SOLVE, ("analyze", "laplace2d:10", "--workers", 1),
                        ("compare", "laplace2d:5", "laplace2d:6", "--workers", 1, "--sched", "lws", "--repeat", 1)):
            with self.subTest(command[0]):
                outcome = espalier(*command, env=self.env)
                self.assertEqual(outcome.code, 0, outcome.err)
                lines = outcome.err.splitlines()
                self.assertEqual(len(lines), 2, outcome.err)
                for line, file in zip(lines, (costs, tuned)):
                    self.assertTrue(line.startswith("espalier: warning: ") and str(file) in line, line)
        self.expect_warning((str(costs),), "tune", "laplace2d:3", "--workers", 1, "--iterations", 1, "--repeat", 1)
        self.assertEqual(costs.read_bytes(), b"{")
        self.assertFalse(tuned.exists(), "the defaults replace it")

    def test_quiet_leaves_warnings_to_the_report(self):
        file = self.put("costs", b"{")
        report = self.folder / "report.json"
        self.assertEqual(self.expect_success(*SOLVE, "--quiet", "--report", report, env=self.env).out, "")
        self.assertIn(str(file), json.loads(report.read_text())["warnings"][0])

    def test_a_file_that_is_named_has_to_be_sound(self):
        for text in (b"", b"{", b"[]", b"\xff"):
            named = self.write("machine.json", text)
            self.expect_failure(3, "simulate", "laplace2d:5", "--machine", named, says=str(named), env=self.env)

    def test_ranks_tell_of_it_once(self):
        if MPIRUN is None:
            self.skipTest("there is no mpirun")
        file = self.put("costs", b"{")
        report = self.folder / "report.json"
        run = on_ranks(2, *SOLVE, "--report", report, variables=rank_environment(XDG_DATA_HOME=self.data))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"\Aespalier: warning: [^\n]+\n\Z")
        self.assertIn(str(file), run.stderr)
        self.assertEqual(len(json.loads(report.read_text())["warnings"]), 1)


if __name__ == "__main__":
    main()
