#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of programs that load PARDISO, with a stand-in for the Python of these programs."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "tools/bench"
sys.path.insert(0, str(BENCH))

import callers  # noqa: E402
import callers_table  # noqa: E402
from callers_table import MKL, OURS, OWN, Cell, Outcome  # noqa: E402

# Answers as the programs do. Its behavior depends on the file `mode` beside it, and its solver on its arguments and environment. It writes
# a line per run into the file `log`.
PYTHON = f"""#!{sys.executable}
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).parent
mode = (here / "mode").read_text()
_, script, *arguments = sys.argv[1:]
folder = pathlib.Path(os.environ.get("MKL_PARDISO_PATH", "/none"))
path = arguments[-1] if arguments[-1].endswith(".so") else str(folder / "libmkl_rt.so")
uses = "auto" not in arguments and "scipy" not in arguments and "mumps" not in arguments
library = os.path.basename(os.path.realpath(path)) if uses else ""
ours, mkl = library.startswith("libespalier_"), library.startswith("libmkl_rt.so.")
with open(here / "log", "a") as log:
    print(pathlib.Path(script).name, "Espalier" if ours else "MKL" if mkl else "own", os.environ["OMP_NUM_THREADS"], os.listdir(), file=log)
if ours and mode == "crash":
    sys.exit("the pivot is zero")
if mkl and mode == "slow":
    time.sleep(60)
libraries = [library] if library and not (ours and mode == "stranger") else []
repeats = int(arguments[-3] if arguments[-1].endswith(".so") else arguments[-2])
print("a line that is not JSON")
print(json.dumps({{"rows": 77, "seconds": [2.0 if ours else 3.0] + [1.0 if ours else 2.5] * (repeats - 1), "iterations": 14 if ours else 13,
                   "processor_seconds": [0.5] * repeats, "objective": 1.25 if ours and mode == "other" else 1.0, "status": "Solved", "libraries": libraries}}))
"""


class Comparison(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin, self.libraries, lib = (self.folder / name for name in ("env/bin", "pardiso", "env/lib"))
        for made in (self.bin, self.libraries, lib):
            made.mkdir(parents=True)
        (self.bin / "python").write_text(PYTHON)
        (self.bin / "python").chmod(0o755)
        self.mkl = lib / "libmkl_rt.so.3"
        self.mkl.touch()
        for name, target in (("libpardiso.so", "libespalier_pardiso.so"), ("libmkl_rt.so", "libespalier_mkl_rt.so")):
            (self.folder / target).touch()
            (self.libraries / name).symlink_to(self.folder / target)

    def compare(self, *arguments, mode="right", code=0, **variables):
        (self.bin / "mode").write_text(mode)
        command = [sys.executable, "-B", BENCH / "callers.py", "--libraries", self.libraries, "--python", self.bin / "python", *arguments]
        kept = {name: value for name, value in os.environ.items() if name not in ("MKL_RT_LIBRARY", "MKL_PARDISO_PATH")}
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**kept, **variables})
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def log(self):
        return (self.bin / "log").read_text().splitlines()

    def test_all_problems_have_a_row(self):
        table = self.compare("--rounds", 1, "--repeat", 2).stdout
        for line in (r"\| CasADi's Ipopt \| oscillator \| 77 \| 2.00 / 1.00 \| 3.00 / 2.50 \| – \| MUMPS \| 1.50 / 2.50 \| 14 / 13 \| yes \| 0% \|",
                     r"\| Clarabel \| portfolio \| 77 \| 2.00 / 1.00 \| – \| 3.00 / 2.50 \| 3.00 / 2.50 \(auto\) \| 1.50 / 2.50 \| 14 / 13 \| yes",
                     r"\| PyPardiso \| saddle \| 77 \| 2.00 / 1.00 \| – \| 3.00 / 2.50 \| 3.00 / 2.50 \(SciPy\) \|"):
            self.assertRegex(table, line)
        self.assertEqual(len(re.findall(r"^\|", table, re.M)), 2 + len(callers.PROBLEMS))
        self.assertIn("threads: 2, rounds: 1, solves per run: 2", table)

    def test_solvers_run_in_turn_in_an_empty_folder(self):
        self.compare("--rounds", 2, "--threads", 5, "--only", "portfolio", "--only", "heat")
        self.assertEqual(self.log(), [f"casadi_control.py {name} 5 []" for name in ("Espalier", "own", "own", "Espalier")] +
                         [f"clarabel_portfolio.py {name} 5 []" for name in ("Espalier", "own", "MKL", "own", "MKL", "Espalier")])

    def test_a_single_solve_has_one_time(self):
        self.assertIn("| 2.00 | 3.00 | – | MUMPS | 1.50 |", self.compare("--rounds", 1, "--repeat", 1, "--only", "heat").stdout)

    def test_processor_time(self):
        run = self.compare("--rounds", 1, "--threads", 1, "--processor-time", "--only", "heat")
        self.assertIn("| 0.500 / 0.500 | 0.500 / 0.500 | – | MUMPS | 1.00 / 1.00 |", run.stdout)
        self.assertIn("processor time", run.stdout)
        self.assertIn("--processor-time needs --threads 1", self.compare("--processor-time", code=2).stderr)

    def test_without_mkl_its_column_is_empty(self):
        self.mkl.unlink()
        run = self.compare("--rounds", 1, "--only", "portfolio")
        self.assertRegex(run.stderr, r"\Acallers: MKL is left out: [^\n]+\n\Z")
        self.assertIn("| – | – | 3.00 / 2.50 (auto) |", run.stdout)
        other = self.folder / "libmkl_rt.so.2"
        other.touch()
        self.assertIn("| – | 3.00 / 2.50 | 3.00", self.compare("--rounds", 1, "--only", "portfolio", MKL_RT_LIBRARY=str(other)).stdout)

    def test_another_result_is_named(self):
        self.assertIn("| no: Espalier |", self.compare("--rounds", 1, "--only", "saddle", mode="other", code=1).stdout)

    def test_a_failure_is_named_once(self):
        for mode, said in (("crash", "exit code 1: the pivot is zero"), ("stranger", "used its own solver instead of libespalier_")):
            run = self.compare("--rounds", 3, "--only", "saddle", mode=mode, code=1)
            self.assertEqual(run.stderr, f"callers: saddle with Espalier failed: {said}\n")
            self.assertIn("| failed | – | 3.00 / 2.50 | 3.00 / 2.50 (SciPy) | – | – / 13 | yes |", run.stdout)

    def test_the_time_of_a_run_is_limited(self):
        run = self.compare("--rounds", 1, "--only", "saddle", "--time-limit", 2, mode="slow")
        self.assertEqual(run.stderr, "callers: saddle with MKL failed: no result after 2 s\n")
        self.assertIn("| – | failed |", run.stdout)

    def test_refused(self):
        self.assertIn("has no libmkl_rt.so", self.compare("--libraries", self.folder, code=2).stderr)
        self.assertIn("invalid choice", self.compare("--only", "nosuch", code=2).stderr)
        self.assertIn("not a whole number", self.compare("--rounds", 0, code=2).stderr)


class Table(unittest.TestCase):
    problem = callers.PROBLEMS[2]

    def cells(self, **columns):
        names = {"ours": OURS, "mkl": MKL, "own": OWN}
        return {names[name]: Cell([Outcome(5, seconds, 9, objective, "Solved") for seconds, objective in runs]) for name, runs in columns.items()}

    def test_medians_and_spread(self):
        cell = self.cells(ours=[([1, 8, 4], 0), ([2, 5, 7], 0), ([4, 9, 9], 0)])[OURS]
        self.assertEqual((cell.median("first"), cell.median("later"), cell.spread()), (2, 6, 1.5))
        self.assertEqual((Cell().median("first"), Cell().spread()), (None, 0))

    def test_results_are_the_same_up_to_a_tolerance(self):
        for ours, own, same in ((1000.0009, 1000, True), (1000.002, 1000, False), (9e-7, 0, True), (2e-6, 0, False), (float("nan"), 0, False)):
            cells = self.cells(ours=[([1], own), ([1], ours)], own=[([1], own)])
            self.assertEqual(callers_table.differing(self.problem, cells), [] if same else [OURS], ours)
            self.assertEqual(callers_table.failed(self.problem, cells), not same)
        cells = self.cells(ours=[([1], 0)], own=[([1], 0)])
        cells[OURS].outcomes[0].status = "InsufficientProgress"
        self.assertTrue(callers_table.failed(self.problem, cells))

    def test_without_the_own_solver_the_result_is_unknown(self):
        cells = {**self.cells(ours=[([1], 0)], mkl=[([1], 0)]), OWN: Cell()}
        self.assertIsNone(callers_table.differing(self.problem, cells))
        self.assertFalse(callers_table.failed(self.problem, cells))
        self.assertIn("| failed | – | 9 / – | unknown |", callers_table.lines_of([(self.problem, cells)])[-1])

    def test_times_have_three_digits(self):
        line = callers_table.lines_of([(self.problem, self.cells(ours=[([0.01234, 123.4], 0)], own=[([9.999, 1.5], 0)]))])[-1]
        self.assertIn("| 0.0123 / 123 | – | – | 10.00 / 1.50 (auto) | 810.29 / 0.01 |", line)


if __name__ == "__main__":
    unittest.main()
