#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs that load PARDISO on the libraries of Espalier, and on their other solvers. `tools/setup.sh --pardiso` installs the
programs.

Needs the environment variable ESPALIER_PARDISO_FOLDER, the folder with both libraries under the names that programs search for.
Usage: programs.py [TEST...]   names of unittest, such as Clarabel (default: all tests)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CALLERS = HERE.parents[2] / "tools/bench/callers"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
PYTHON = CACHE / "espalier" / "python-pardiso" / "bin" / "python"
LIBRARIES = os.environ["ESPALIER_PARDISO_FOLDER"]
PANUA = f"{LIBRARIES}/libpardiso.so"
MKL = f"{LIBRARIES}/libmkl_rt.so"


def run(program, *arguments, python=PYTHON, **environment):
    """Runs a program and returns its standard output and standard error."""
    result = subprocess.run([str(python), "-B", str(CALLERS / program), *arguments], capture_output=True, text=True, timeout=100,
                            env={**os.environ, **environment}, check=False, cwd=tempfile.gettempdir())
    if result.returncode != 0:
        raise AssertionError(f"{program} ended with {result.returncode}: {result.stdout}{result.stderr}")
    return result.stdout, result.stderr


def results_of(program, *arguments, **environment):
    """Returns the results that a program reports in its last line."""
    return json.loads(run(program, *arguments, **environment)[0].splitlines()[-1])


class Libraries(unittest.TestCase):
    """Tests with this machine's Python only."""

    def test_start_with_the_workers_that_callers_ask_for(self):
        output, _ = run(HERE / "workers.py", MKL, python=sys.executable)
        cores = min(2, len(os.sched_getaffinity(0)))
        self.assertEqual([line for line in output.splitlines() if line.isdigit()], ["1", str(cores)])
        for workers in {1, cores}:
            self.assertRegex(output, rf"\b{workers} worker{'s' if workers > 1 else ''}\n")


class Programs(unittest.TestCase):
    """Tests of a program in the environment of the programs."""

    def needs(self, *modules):
        for module in modules:
            found = PYTHON.exists() and subprocess.run(
                [str(PYTHON), "-c", f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"],
                check=False).returncode == 0
            if not found:
                self.skipTest(f"{PYTHON} has no {module}, which tools/setup.sh --pardiso installs if PyPI has it for this Python")

    def expect_same(self, ours, theirs, library, tolerance=1e-6):
        self.assertIn(library, " ".join(ours["libraries"]))
        self.assertEqual(theirs["libraries"], [])
        self.assertEqual(ours["status"], theirs["status"])
        self.assertLessEqual(abs(ours["iterations"] - theirs["iterations"]), 2)
        self.assertAlmostEqual(ours["objective"], theirs["objective"], delta=tolerance * max(1, abs(theirs["objective"])))


class Clarabel(Programs):
    def test_solves_a_quadratic_program(self):
        self.needs("clarabel", "scipy")
        problem = ("clarabel_portfolio.py", "400", "1")
        theirs = results_of(*problem, "qdldl")
        self.expect_same(results_of(*problem, "panua", PARDISO_PATH=LIBRARIES), theirs, "libespalier_pardiso")
        self.expect_same(results_of(*problem, "mkl", MKL_PARDISO_PATH=LIBRARIES), theirs, "libespalier_mkl_rt")

    def test_solves_for_cvxpy(self):
        self.needs("cvxpy", "clarabel")
        problem = ("cvxpy_least_squares.py", "40", "2")
        theirs = results_of(*problem, "qdldl")
        self.assertEqual(len(theirs["seconds"]), 2)
        self.expect_same(results_of(*problem, "mkl", MKL_PARDISO_PATH=LIBRARIES), theirs, "libespalier_mkl_rt")


class Ipopt(Programs):
    def test_solves_for_casadi(self):
        self.needs("casadi", "scipy")
        for problem, size in (("oscillator", 60), ("heat", 10), ("eigenvalue", 30)):
            with self.subTest(problem):
                words = ("casadi_control.py", problem, str(size), "1")
                theirs = results_of(*words, "mumps")
                self.expect_same(results_of(*words, "pardiso", PANUA), theirs, "libespalier_pardiso")


class PyPardiso(Programs):
    def solve(self, *arguments):
        output, errors = run("pypardiso_solve.py", *arguments, PYPARDISO_MKL_RT=MKL)
        return json.loads(output.splitlines()[-1]), errors

    def test_solves_symmetric_systems(self):
        self.needs("pypardiso")
        for matrix, rows in (("laplacian", 1000), ("saddle", 279)):
            with self.subTest(matrix):
                ours, _ = self.solve(matrix, "10", "1", "pypardiso")
                self.assertIn("libespalier_mkl_rt", " ".join(ours["libraries"]))
                self.assertEqual(ours["rows"], rows)
                self.assertLessEqual(ours["error"], 1e-10)
                theirs, _ = self.solve(matrix, "10", "1", "scipy")
                self.assertEqual(theirs["libraries"], [])
                self.assertAlmostEqual(ours["objective"], theirs["objective"], delta=1e-9 * abs(theirs["objective"]))

    def test_refuses_other_types(self):
        self.needs("pypardiso")
        code = "import numpy, pypardiso, scipy.sparse; pypardiso.spsolve(scipy.sparse.eye_array(9, format='csr'), numpy.ones(9))"
        result = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False, env={**os.environ, "PYPARDISO_MKL_RT": MKL})
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "PyPardisoError.*-1")
        self.assertIn("matrix type 11 is not supported", result.stderr)


class OpenSees(Programs):
    def test_solves_a_truss(self):
        self.needs("openseespy", "openseespy_solvers")
        theirs = results_of("opensees_truss.py", "BandSPD")
        ours = results_of("opensees_truss.py", "Pardiso", OPENSEESPY_SOLVERS_MKL_RT=MKL)
        self.assertIn("libespalier_mkl_rt", " ".join(ours["libraries"]))
        self.assertEqual(ours["code"], 0)
        self.assertAlmostEqual(ours["deflection"], theirs["deflection"], delta=1e-9 * abs(theirs["deflection"]))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main(verbosity=2)
