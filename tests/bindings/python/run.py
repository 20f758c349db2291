#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests of the interface for Python in this folder. The package is found by PYTHONPATH or in the environment.

Usage: run.py [TEST...]   names of unittest, such as solve_test.Solve (default: all tests)
"""
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).parent


def main():
    try:
        import numpy  # noqa: F401
        import scipy.sparse  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {sys.executable} has no {missing.name}, which tools/setup.sh --python installs")
        return 77
    sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1] / "cli")]
    sys.dont_write_bytecode = True
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(str(FOLDER), "*_test.py")
    result = unittest.TextTestRunner(verbosity=1).run(tests)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
