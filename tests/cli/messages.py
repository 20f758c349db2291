#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Text of other sources in messages of the program is short, on one line, and without terminal control codes."""
import json
import os

from support.matrices import coordinate
from support.own_files import host_costs, own_file, tuning
from support.program import DATA, ProgramTest, environment, espalier, main

LONGEST = 2000  # maximum length of a message
CODES = "\x1b[31m\r\n\x9b2J\x7f"  # red, carriage return, newline, clear the screen in one character
HOSTILE = CODES + "x" * 100_000 + CODES
LONG = "y" * 1_000_000


class Messages(ProgramTest):
    def expect_harmless(self, outcome, code=None):
        for text in (outcome.out, outcome.err):
            for line in text.split("\n"):
                self.assertTrue(all(c >= " " and not "\x7f" <= c <= "\x9f" for c in line), repr(line[:300]))
                self.assertLessEqual(len(line), LONGEST + len("espalier: warning: "))
        if code is not None:
            self.assertEqual(outcome.code, code, outcome.err)
            self.assertRegex(outcome.err, r"\Aespalier: [^\n]+\n\Z")
        return outcome

    def expect_short(self, code, *arguments, **options):
        outcome = self.expect_harmless(espalier(*arguments, **options), code)
        self.assertLessEqual(len(outcome.err), 500)
        return outcome

    def test_words_of_banners(self):
        good = coordinate(1, [(1, 1, 1)])
        for word in ("matrix", "coordinate", "real", "symmetric"):
            for text in (LONG, CODES.replace("\r\n", "")):
                file = self.write("a.mtx", good.replace(word, text, 1))
                self.expect_short(3, "solve", file)
                self.expect_short(3, "solve", "laplace2d:1", "--rhs", file)
                self.expect_short(3, "solve", "laplace2d:1", "--ordering", file)

    def test_lines_of_files(self):
        for name, text in (("a.mtx", coordinate(1, [(1, 1, LONG)])), ("b.rb", LONG), ("c.rb", f"title\n{LONG}\n{LONG}\n"),
                           ("d.mtx", LONG)):
            self.expect_short(3, "solve", self.write(name, text))
        self.expect_short(3, "solve", "laplace2d:1", "--ordering", self.write("order", f"1 {LONG}\n"))

    def test_names_of_files(self):
        for name in (CODES + ".mtx", "\x1b]0;title\x07.mtx"):
            file = self.folder / name
            self.expect_harmless(espalier("solve", file), 3)
            file.write_text((DATA / "five.mtx").read_text())
            outcome = self.expect_harmless(espalier("solve", file, "--out", self.folder / f"x{name}"))
            self.assertEqual((outcome.code, outcome.err), (0, ""))
            self.expect_harmless(espalier("compare", file, "--sched", "lws", "--repeat", 1))
            self.expect_harmless(espalier("generate", file, self.folder / f"copy{name}"))
            file.write_text("damaged")
            self.expect_harmless(espalier("solve", file), 3)
            self.expect_harmless(espalier("solve", "laplace2d:3", "--out", self.folder / name / "x.mtx"), 3)
        self.expect_harmless(espalier("solve", os.path.join(self.folder, *["z" * 250] * 15)), 3)

    def test_values_of_options(self):
        for option in ("--ordering", "--sched", "--sched-option", "--memory-limit", "--workers", "--granularity", "--kernels",
                       "--halo", "--device-memory", "--nrhs", "--amalgamation-widths", "--grid", "--rhs", "--out"):
            self.expect_harmless(espalier("solve", "laplace2d:3", option, HOSTILE))
        for arguments in ([HOSTILE], ["solve", HOSTILE], ["solve", "laplace2d:3", HOSTILE], ["solve", f"laplace2d:{HOSTILE}"],
                          ["solve", "laplace2d:3", f"--{HOSTILE}"], ["reproduce", HOSTILE],
                          ["reproduce", "halo", "--figure", HOSTILE], ["compare", "laplace2d:3", "--sched", HOSTILE],
                          ["compare", "laplace2d:3", "--sched", "lws", "--baseline", HOSTILE],
                          ["compare", "laplace2d:3", "--sched", f"fanout:{HOSTILE}=1"], ["simulate", "laplace2d:3", "--machine", HOSTILE],
                          ["tune", "laplace2d:3", "--objective", HOSTILE], ["generate", "laplace2d:3", HOSTILE]):
            outcome = self.expect_harmless(espalier(*arguments))
            self.assertIn(outcome.code, (2, 3, 6), outcome.err)

    def test_variables(self):
        for name in ("STARPU_SCHED", "STARPU_NCPU", "STARPU_HOME", "STARPU_PERF_MODEL_DIR", "XDG_DATA_HOME", "STARPU_WORKERS_CPUID",
                     "STARPU_HWLOC_INPUT", "ESPALIER_SIMULATOR"):
            env = environment(**{name: HOSTILE})
            self.expect_harmless(espalier("solve", "laplace2d:3", env=env))

    def test_keys_and_values_of_own_files(self):
        env = environment(XDG_DATA_HOME=self.folder)
        place = own_file(self.folder, "costs")
        place.parent.mkdir()
        costs = host_costs(2)
        for change in ({"host": HOSTILE}, {"cpu": HOSTILE}, {"gemm": HOSTILE}, {"espalier_costs": HOSTILE},
                       {"tasks": [{HOSTILE: HOSTILE}]}, {"workers": HOSTILE}, {HOSTILE: HOSTILE}):
            place.write_text(json.dumps(costs | change, ensure_ascii=False))
            self.expect_harmless(espalier("analyze", "laplace2d:3", env=env))
            self.expect_harmless(espalier("calibrate", "--show", self.folder / "p.svg", env=env))
        place.write_text('{"' + HOSTILE)
        self.expect_harmless(espalier("solve", "laplace2d:3", env=env))
        place.unlink()
        place = own_file(self.folder, "tuning")
        for change in ({"panel_width": HOSTILE}, {HOSTILE: 1}):
            place.write_text(json.dumps(tuning(2, **change), ensure_ascii=False))
            self.expect_harmless(espalier("analyze", "laplace2d:3", env=env))
        machine = self.write("machine.json", json.dumps({"espalier_machine": 1, "name": HOSTILE}))
        self.expect_harmless(espalier("simulate", "laplace2d:3", "--machine", machine), 3)


if __name__ == "__main__":
    main()
