#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tunings for ranks and for devices: the result, the runs that use it, the runs that do not, and the input that is refused."""
import json
import re

from support.coprocessors import has_coprocessors
from support.own_files import own_file, tuning
from support.program import ProgramTest, environment, espalier, main
from support.ranks import MPIRUN, on_ranks, rank_environment

ALONE = "tuning-1"
RANKS = "tuning-2x1"
COPROCESSOR = "tuning-1x1+1coprocessors"
FIELDS = {ALONE: {"ranks": 1, "coprocessors": 0}, RANKS: {"ranks": 2, "coprocessors": 0},
          COPROCESSOR: {"ranks": 1, "coprocessors": 1}}


class TunePlaces(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.places = [ALONE] + [RANKS] * (MPIRUN is not None) + [COPROCESSOR] * has_coprocessors()

    def setUp(self):
        super().setUp()
        self.env = environment(XDG_DATA_HOME=self.folder)

    def keep(self, place, **parameters):
        """Writes a tuning file with these parameters. Returns the file."""
        file = own_file(self.folder, place)
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(tuning(1, place=FIELDS[place], **parameters)))
        return file

    def solve(self, place, *arguments):
        """Returns the report of a solve at a place with one CPU worker per rank."""
        arguments = ["laplace3d:12", "--workers", 1, *arguments]
        if place != RANKS:
            devices = ["--coprocessors", 1] if place == COPROCESSOR else []
            return self.report_of("solve", *arguments, *devices, env=self.env)
        path = self.folder / "report.json"
        run = on_ranks(2, "solve", *arguments, "--report", path, variables=rank_environment(XDG_DATA_HOME=self.folder))
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(path.read_text())

    def structure(self, place, *arguments):
        """Returns (the file of the tuning, supernodes, blocks)."""
        report = self.solve(place, *arguments)
        self.expect_accurate(report)
        file = report["tuning"]["file"]
        self.assertEqual(report["tuning"]["source"], "tuned" if file else "defaults")
        return file, report["symbolic"]["supernodes"], report["symbolic"]["blocks"]

    def tune(self, place, *arguments):
        options = {RANKS: ["--ranks", 2], COPROCESSOR: ["--coprocessors", 1]}[place]
        return self.expect_success("tune", *arguments, "--workers", 1, "--rounds", 1, "--repeat", 1, *options, env=self.env)

    def test_each_place_uses_its_own_and_no_other(self):
        default = {place: self.structure(place) for place in self.places}
        for kept in self.places:
            file = self.keep(kept, panel_width=16, narrow_panel_width=16)
            for place in self.places:
                with self.subTest(kept=kept, place=place):
                    found = self.structure(place)
                    if place == kept:
                        self.assertEqual(found[:2], (str(file), default[place][1]))
                        self.assertGreater(found[2], default[place][2])
                    else:
                        self.assertEqual(found, default[place])
            file.unlink()

    def test_options_and_named_files_go_before_it(self):
        here = self.folder / "here.json"
        here.write_text(json.dumps(tuning(7, panel_width=16)))
        for place in self.places[1:]:
            with self.subTest(place=place):
                default = self.structure(place)
                narrow = self.structure(place, "--panel-width", 16)
                self.assertGreater(narrow[2], default[2])
                file = self.keep(place, amalgamation_width_1=2, panel_width=32)
                self.assertEqual(self.structure(place, "--tuning", "none"), default)
                self.assertEqual(self.structure(place, "--tuning", here), (str(here), *narrow[1:]))
                self.assertEqual(self.structure(place, "--amalgamation-widths", "8,16,32,2147483647", "--panel-width", 256),
                                 (str(file), *default[1:]))

    def test_of_tasks_too(self):
        """The rows of tiles count on ranks only if the tuning changed them, because ranks have other defaults."""
        for place in self.places[1:]:
            with self.subTest(place=place):
                updates = [self.solve(place, "--granularity", "tile")["tasks"]["update"]]
                for rows in (512, 8):
                    self.keep(place, tile_rows=rows)
                    updates.append(self.solve(place, "--granularity", "tile")["tasks"]["update"])
                self.assertEqual(updates[0], updates[1])
                self.assertGreater(updates[2], updates[1])

    def test_one_of_no_use_is_left_out_and_told(self):
        for place in self.places[1:]:
            with self.subTest(place=place):
                file = self.keep(place, panel_width=-1)
                report = self.solve(place)
                self.assertEqual(report["tuning"], {"source": "defaults", "file": ""})
                warning, = report["warnings"]
                self.assertRegex(warning, f"{re.escape(str(file))}.*panel_width.*run espalier tune again")

    def test_deterministic_ranks_use_none_that_is_not_named(self):
        if RANKS not in self.places:
            self.skipTest("there is no mpirun")
        default = self.structure(RANKS, "--deterministic")
        file = self.keep(RANKS, panel_width=16)
        self.assertEqual(self.structure(RANKS, "--deterministic"), default)
        self.assertEqual(self.structure(RANKS, "--deterministic", "--tuning", file)[0], str(file))

    def test_a_damaged_one_that_is_named_ends_all_ranks(self):
        if RANKS not in self.places:
            self.skipTest("there is no mpirun")
        damaged = self.write("damaged.json", "{")
        run = on_ranks(2, "solve", "laplace2d:9", "--tuning", damaged)
        self.assertEqual((run.returncode, run.stdout), (3, ""), run.stderr)
        self.assertIn(str(damaged), run.stderr)

    def test_keeps_what_is_faster_there_else_the_defaults(self):
        for place in self.places[1:]:
            with self.subTest(place=place):
                outcome = self.tune(place, "laplace3d:12", "--iterations", 30)
                file = own_file(self.folder, place)
                self.assertEqual([kept for kept in self.folder.glob("espalier/tuning*") if kept != file], [])
                if file.exists():
                    kept = json.loads(file.read_text())
                    self.assertEqual({key: kept[key] for key in FIELDS[place]}, FIELDS[place])
                    self.assertEqual((kept["workers"], kept["matrices"]), (1, ["laplace3d:12"]))
                    self.assertGreaterEqual(kept["measured_gain"], 0.005)
                    self.assertIn(f"written to {file}", outcome.out)
                    self.assertEqual(self.structure(place)[0], str(file))
                    file.unlink()
                else:
                    self.assertIn("the defaults are kept", outcome.out)

    def test_defaults_that_are_kept_replace_what_was_kept_before(self):
        other = self.keep(ALONE)
        for place in self.places[1:]:
            file = self.keep(place)
            outcome = self.tune(place, "laplace2d:3", "--iterations", 1)
            self.assertIn(f"the defaults are kept; removed {file}", outcome.out)
            self.assertFalse(file.exists())
        self.assertTrue(other.exists())

    def test_says_what_a_place_lacks(self):
        outcome = espalier("tune", "laplace2d:3", "--cuda-devices", 1, "--workers", 1, "--iterations", 1, env=self.env)
        if outcome.code != 0:
            self.assertEqual(outcome.code, 2)
            self.assertIn("leave out --cuda-devices", outcome.err)
        self.expect_failure(2, "tune", "laplace2d:3", "--cuda-devices", 1, "--coprocessors", 1, says=("--cuda-devices", "--coprocessors"),
                            env=self.env)
        self.expect_failure(2, "tune", "laplace2d:3", "--ranks", 0, says="1 to 1024", env=self.env)

    def test_what_fails_there_ends_it_with_the_same_code(self):
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 -1\n")
        for place in self.places[1:]:
            options = ["--ranks", 2] if place == RANKS else ["--coprocessors", 1]
            self.expect_failure(4, "tune", bad, "--objective", "paper", "--iterations", 1, "--workers", 1, *options,
                                says=("not positive definite", "run espalier solve with the same options"), env=self.env)

    def test_is_no_rank_itself(self):
        if RANKS not in self.places:
            self.skipTest("there is no mpirun")
        run = on_ranks(2, "tune", "laplace2d:3")
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        self.assertIn("run it alone, with --ranks", run.stderr)


if __name__ == "__main__":
    main()
