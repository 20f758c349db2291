# SPDX-License-Identifier: BSD-3-Clause
"""Tests of threads, processes, pickles and signals."""
import copy
import gc
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
from scipy import sparse

import espalier
from matrices import backward_error, laplace2d, random_spd, tolerance
from support.processes import ProcessTest


class Pickles(unittest.TestCase):
    def test_a_factor_comes_back(self):
        a, b = laplace2d(10), np.arange(100.0)
        f = espalier.cho_factor(a, beta=1.0, lower=False, order="amd", refine=0)
        g = pickle.loads(pickle.dumps(f))
        np.testing.assert_array_equal(g.perm, f.perm)
        self.assertEqual((g.order, g.is_lower, g.logdet()), ("amd", False, f.logdet()))
        self.assertLess(abs(g.solve(b) - f.solve(b)).max(), 1e-10)
        self.assertFalse(pickle.loads(pickle.dumps(espalier.CholeskyFactor(a))).is_numeric)

    def test_pickles_have_either_triangle_by_rows_or_columns(self):
        a = random_spd(40, 3)
        for given in (sparse.csc_matrix(a), sparse.csr_matrix(a)):
            for lower in (True, False):
                f = espalier.CholeskyFactor(given, lower=lower).factorize(given, beta=0.5)
                self.assertAlmostEqual(pickle.loads(pickle.dumps(f)).logdet(), f.logdet(), 12)
        self.assertEqual(copy.copy(f).logdet(), f.logdet())

    def test_an_error_comes_back(self):
        error = pickle.loads(pickle.dumps(espalier.NotPositiveDefiniteError(3)))
        self.assertEqual(error.column, 3)


class Threads(unittest.TestCase):
    def test_factors_beside_each_other(self):
        problems = []

        def work(seed):
            a = random_spd(300, seed)
            b = np.ones(300)
            for _ in range(5):
                error = backward_error(a, espalier.cho_factor(a).solve(b), b)
                if not error < tolerance(a):
                    problems.append(error)

        shared_a, b = laplace2d(30), np.ones(900)
        shared = espalier.cho_factor(shared_a)

        def solve():
            for _ in range(20):
                try:
                    if not backward_error(shared_a, shared.solve(b), b) < tolerance(shared_a):
                        problems.append("the shared factor")
                except espalier.EspalierError as error:
                    problems.append(str(error))

        def refactor():
            for _ in range(20):
                shared.factorize(shared_a)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
        threads += [threading.Thread(target=solve) for _ in range(2)] + [threading.Thread(target=refactor)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_other_threads_run_during_a_factorization(self):
        a = laplace2d(250)
        f = espalier.cho_factor(a)
        stamps, ended = [], threading.Event()

        def watch():
            while not ended.is_set():
                stamps.append(time.perf_counter())
                time.sleep(0.001)

        def longest_silence():
            begun = time.perf_counter()
            f.factorize(a)
            done = time.perf_counter()
            times = [begun, *(stamp for stamp in stamps if begun < stamp < done), done]
            return max(later - earlier for earlier, later in zip(times, times[1:]))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            # On a busy machine, the other thread may get no core during a whole factorization.
            self.assertTrue(any(longest_silence() < f.report()["factor"]["runs"][-1] for _ in range(100)))
        finally:
            ended.set()
            watcher.join()

    def test_starpu_is_another_one_after_the_last_factor(self):
        a = laplace2d(5)
        gc.collect()
        f = espalier.cho_factor(a, workers=1, sched="lws")
        with self.assertRaisesRegex(espalier.UsageError, "1 CPU workers, the scheduler lws .*delete these factors"):
            espalier.cho_factor(a, sched="eager")
        del f
        gc.collect()
        self.assertEqual(espalier.cho_factor(a, sched="eager").report()["scheduler"]["active"], "eager")

    def test_factors_use_the_workers_that_run(self):
        a = laplace2d(5)
        gc.collect()
        f = espalier.cho_factor(a, workers=1)
        for wanted in (2, 1):
            g = espalier.cho_factor(a, workers=wanted)
            self.assertEqual((g.logdet(), g.report()["machine"]["cpu_workers"]), (f.logdet(), 1))
        del f, g
        gc.collect()
        self.assertEqual(espalier.cho_factor(a, workers=2).report()["machine"]["cpu_workers"], 2)


class Processes(ProcessTest):
    def test_a_fork_is_told(self):
        a = laplace2d(5)
        f = espalier.cho_factor(a)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            answer = "nothing"
            try:
                f.factorize(a)
            except espalier.RuntimeFailure as error:
                answer = str(error)
            try:
                f.solve(np.ones(25))
            except espalier.RuntimeFailure:
                answer += repr(f) + f._repr_html_() + f.order
            del f
            gc.collect()
            os.write(writing, answer.encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answer = pipe.read()
        for part in ("fork", "CholeskyFactor(n=25", "factored)", "<table", f.order):
            self.assertIn(part, answer)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(np.isfinite(f.logdet()))

    def test_a_fork_before_the_first_factorization(self):
        program = """
import os, sys
import numpy as np, espalier
from matrices import laplace2d
child = os.fork()
x = espalier.spsolve(laplace2d(5), np.ones(25))
if child == 0:
    sys.exit(7 if np.isfinite(x).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), np.isfinite(x).all())
"""
        self.assertEqual(self.run_program(program).stdout.split(), ["7", "True"])

    def test_interrupts_come_afterwards(self):
        program = """
import os, signal, threading
import numpy as np, espalier
from matrices import laplace2d
a = laplace2d(250)
f = espalier.CholeskyFactor(a)
threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        f.factorize(a)
except KeyboardInterrupt:
    f.factorize(a)
    x = f.solve(np.ones(a.shape[0]))
    print(f.backward_error < 1e-14)
"""
        self.assertEqual(self.run_program(program).stdout.split(), ["True"])

    def test_a_process_ends_with_factors(self):
        program = """
import espalier
from matrices import laplace2d
kept = [espalier.cho_factor(laplace2d(5)) for _ in range(3)]
kept.append(kept)
"""
        ended = self.run_program(program)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_process_ends_while_a_daemon_thread_computes(self):
        program = """
import threading, time
import numpy as np, espalier
from matrices import laplace2d
a = laplace2d(40)
f, g = espalier.cho_factor(a), espalier.cho_factor(a)
begun = threading.Event()
def work(step):
    while True:
        step()
        begun.set()
for step in (lambda: f.solve(np.ones(1600)), lambda: espalier.cho_factor(a), lambda: g.factorize(a), f.report):
    threading.Thread(target=work, args=(step,), daemon=True).start()
begun.wait()
class Late:
    def __del__(self):
        assert np.isfinite(espalier.spsolve(a, np.ones(1600))).all()
late = Late()
print("end")
"""
        for _ in range(4):
            ended = self.run_program(program)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "end\n", ""))

    def test_a_new_machine_with_one_core_and_decimal_commas(self):
        """In a locale with decimal commas, StarPU measures the machine and writes numbers with decimal points. A run
        without this locale can read them. Neither run prints anything."""
        if shutil.which("localedef") is None:
            self.skipTest("there is no localedef to make a locale with")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"], capture_output=True)
            if made.returncode != 0:
                self.skipTest("localedef has no de_DE")
            others = dict.fromkeys(("LC_ALL", "STARPU_SILENT", "STARPU_PERF_MODEL_DIR", "XDG_CACHE_HOME"))
            variables = {"LOCPATH": folder, "STARPU_HOME": folder, **others}
            program = """
import locale, os, sys
import scipy.sparse, espalier
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
if len(sys.argv) > 1:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ","
espalier.cho_factor(scipy.sparse.eye(10, format="csc"), workers=2)
"""
            for arguments in (["de_DE.UTF-8"], []):
                ended = self.run_program(program, arguments, **variables)
                self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))
            files = [path for path in pathlib.Path(folder).rglob("bus/*") if path.suffix in (".latency", ".bandwidth")]
            self.assertGreater(len(files), 0)
            for path in files:
                self.assertNotIn(",", path.read_text())

    def run_program(self, text, arguments=(), **variables):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        command = [sys.executable, "-c", text, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
