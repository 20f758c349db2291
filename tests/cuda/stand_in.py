#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the other tests that need a CUDA device, and the benchmark, on the stand-in. LD_PRELOAD replaces CUDA's functions by functions of
the host. They run the kernels' code, with a thread per stream, so that everything except the device is tested."""
import csv
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from support.devices import with_stand_in  # noqa: E402
from support.program import ALL_COMBINATIONS, PROGRAM, ProgramTest, environment, main  # noqa: E402

CUDA_TESTS = os.environ["ESPALIER_CUDA_TESTS"]


class StandIn(ProgramTest):
    def run_all(self, *command, **variables):
        done = subprocess.run([str(word) for word in command], env=with_stand_in(**variables), capture_output=True, text=True,
                              timeout=400)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_tasks_and_the_stand_in_itself(self):
        """Runs all kernels on a stand-in that is built with the sanitizer for undefined behaviour."""
        output = self.run_all(CUDA_TESTS, devices=2, LD_PRELOAD=os.environ["ESPALIER_CHECKED_STAND_IN"],
                              STAND_IN_ORDER="compare", STAND_IN_LATE=1)
        self.assertNotIn("SKIPPED", output)

    def test_program(self):
        """Two tests are skipped: one is for builds without CUDA, and one for machines without a device."""
        self.assertIn("(skipped=2)", self.run_all(sys.executable, ROOT / "tests" / "cli" / "cuda.py"))

    @unittest.skipUnless(ALL_COMBINATIONS, "other tests predict the memory of other builds")
    def test_memory_is_predicted_of_a_build_with_cuda(self):
        """The prediction must also be right for processes without a device, because they load CUDA's libraries, too."""
        tests = [f"Memory.test_the_prediction_{which}" for which in ("is_near_the_peak", "for_ranks_is_near_the_peak")]
        done = subprocess.run([sys.executable, ROOT / "tests" / "cli" / "memory.py", *tests], env=environment(), capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def lines_of_the_benchmark(self, folder):
        with open(folder / "benchmark.csv", encoding="utf-8") as table:
            return [(line["policy"], line["granularity"], line["workers"][-6:]) for line in csv.DictReader(table)]

    def test_the_benchmark(self):
        cudss = self.written("cudss", '#!/bin/sh\ngrep -q "^2744 2744 " "$1" && echo \'{"factor_s": 0.5, "error": 1e-9}\'\n')
        self.run_all(sys.executable, ROOT / "tools" / "gpu" / "benchmark.py", "--cudss", cudss, PROGRAM, self.folder, 90, "laplace3d:14")
        lines = self.lines_of_the_benchmark(self.folder)
        self.assertEqual(lines[:2], [("espalier", "auto", "0 CUDA"), ("cuDSS", "", "CUDA")])
        self.assertEqual(set(lines[2:]), {(policy, granularity, f"{workers} CUDA") for granularity in ("panel", "tile")
                                          for policy in ("espalier", "fanout", "halo", "dmdas") for workers in (1, 2, 4)})

    @unittest.skipUnless(ALL_COMBINATIONS, "it consists of the other tests")
    def test_the_check(self):
        """Runs from a bundle, with a sanitizer and a profiler that accept everything."""
        tools, bundle, out = self.folder / "tools", self.folder / "bundle.tar", self.folder / "out"
        for folder in ("tools", "stage/bin", "stage/lib"):
            (self.folder / folder).mkdir(parents=True)
        let_pass = '#!/bin/sh\nwhile [ "${1#/}" = "$1" ]; do shift; done\nexec "$@"\n'
        for name in ("compute-sanitizer", "nsys"):
            self.written(f"tools/{name}", let_pass)
        for program in (PROGRAM, CUDA_TESTS):
            (self.folder / "stage" / "bin" / pathlib.Path(program).name).symlink_to(program)
        subprocess.run(["tar", "-C", self.folder / "stage", "-cf", bundle, "bin", "lib"], check=True)
        printed = self.run_all(ROOT / "tools" / "gpu" / "check.sh", "--bundle", bundle, out, "laplace2d:20",
                               PATH=f"{tools}:{os.environ['PATH']}", CUDSS=self.folder)
        self.assertIn(" 0 failures", printed)
        for step in ("first-solve", "tests", "tests-of-the-program", "memcheck", "racecheck", "initcheck", "memcheck-of-a-solve",
                     "calibrate", "calibrate-device", "profile", "benchmark"):
            self.assertRegex(printed, rf"(?m)^check: +\d+ s  {step}$")
        self.assertEqual(len(self.lines_of_the_benchmark(out)), 25)


if __name__ == "__main__":
    main()
