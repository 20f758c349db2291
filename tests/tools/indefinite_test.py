#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of solvers on symmetric indefinite systems, with a peer that answers right, lies, crashes or takes too long."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE.parents[1] / "tools/bench"
sys.path[:0] = [str(HERE.parent / "cli"), str(BENCH), str(BENCH / "symmetric_peers")]

from support.matrices import symmetric  # noqa: E402
from support.program import PROGRAM, Outcome, ProgramTest, environment, main, skip  # noqa: E402

try:
    import numpy as np
except ImportError:
    skip("NumPy is missing")

import indefinite_systems  # noqa: E402
import indefinite_table  # noqa: E402
import interface  # noqa: E402
from indefinite_solvers import Answer  # noqa: E402

# A peer with the interface of symmetric_mumps. Its behavior depends on the file `mode` beside it.
PEER = f"""#!{sys.executable}
import json, pathlib, sys, time
import numpy as np
sys.path.insert(0, {str(BENCH / 'symmetric_peers')!r})
import interface
mode = pathlib.Path(__file__).with_name("mode").read_text()
if sys.argv[1:] == ["--version"]:
    print(json.dumps({{"version": "fake 1"}}))
    sys.exit(mode == "broken")
if mode == "slow":
    time.sleep(60)
if mode == "crash":
    sys.exit("no memory")
n, starts, rows, values, b = interface.read_system(sys.argv[1])
dense = np.zeros((n, n))
for j in range(n):
    for k in range(starts[j], starts[j + 1]):
        dense[rows[k], j] = dense[j, rows[k]] = values[k]
eigenvalues = np.linalg.eigvalsh(dense)
inertia = [int((eigenvalues > 0).sum()), int((eigenvalues < 0).sum()), 0]
if mode in ("lie", "doubt"):
    inertia = [n, 0, 0]
x = np.linalg.solve(dense, b) * (1.001 if mode == "inaccurate" else 1)
x.tofile(sys.argv[2])
print(json.dumps({{"analyse_s": 3.0, "factor_s": 2.0, "solve_s": 1.0, "refinements": 0, "inertia": inertia,
                   "status": "uncertain" if mode == "doubt" else "exact", "perturbed": 0}}))
"""
# A quasi-definite matrix with two positive eigenvalues and one negative one.
ENTRIES = {(1, 1): 4.0, (2, 1): 1.0, (2, 2): 3.0, (3, 1): 1.0, (3, 2): 2.0, (3, 3): -2.0}
SIGNS = "1\n1\n-1\n"


def answer(inertia, status):
    return Answer(1, 1, 1, 0, inertia, status, 0)


def system_of(entries, n, **others):
    keys = sorted(entries)
    return indefinite_systems.System("k", pathlib.Path("k.mtx"), n, np.array([i - 1 for i, _ in keys]), np.array([j - 1 for _, j in keys]),
                                     np.array([entries[key] for key in keys]), **others)


class Comparison(ProgramTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write("k.mtx", symmetric(3, ENTRIES))
        self.write("k.mtx.signs", SIGNS)

    def compare(self, *arguments, mode="right", code=0):
        self.write("symmetric_mumps", PEER).chmod(0o755)
        self.write("mode", mode)
        command = [sys.executable, "-B", BENCH / "indefinite.py", "--rounds", 2, "--repeat", 1, *arguments]
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                             env=environment(PEERS=self.folder, ESPALIER=PROGRAM))
        outcome = Outcome(run.returncode, run.stdout, run.stderr)
        self.assertEqual(outcome.code, code, outcome.out + outcome.err)
        return outcome

    def table(self, *arguments, **options):
        """Returns the lines by solver of the first table, and the output."""
        both = ["--solvers", "espalier-signs,mumps", "--ours", "espalier-signs"]
        outcome = self.compare(self.matrix, *both, *arguments, **options)
        table = outcome.out[outcome.out.index("system "):]
        return {name: re.search(rf"\b{name} .*", table)[0] for name in ("espalier-signs", "mumps")}, outcome

    def test_right_answers(self):
        lines, outcome = self.table("--json", self.folder / "all.json")
        for line in lines.values():
            self.assertRegex(line, r"2 1 0 +exact +0 +right$")
        self.assertIn("inertia 2 1 0 (eigenvalues)", outcome.out)
        result, = json.loads((self.folder / "all.json").read_text())["results"]
        ours, theirs = result["rows"]
        self.assertEqual((len(ours["answers"]), len(theirs["answers"])), (2, 2))
        total = sum(ours["answers"][0][phase] for phase in ("analysis", "factor", "solve"))
        self.assertGreater(total, 0)
        mean = float(re.search(r"mumps takes ([\d.]+) times the time of espalier-signs \(geometric mean of 1", outcome.out)[1])
        self.assertGreater(mean, 6 / 0.5)
        self.assertNotIn("at least", outcome.out)

    def test_min_rows_choose_the_systems_of_the_second_mean(self):
        _, outcome = self.table("--min-rows", 3)
        self.assertIn("systems with at least 3 rows: mumps takes", outcome.out)

    def counts_of(self, outcome, solver):
        header, = re.findall(r"^solver .*", outcome.out, re.M)
        counts, = re.findall(rf"^{solver} .*\d$", outcome.out, re.M)
        return dict(zip(header.split()[1:], map(int, counts.split()[1:])))

    def test_a_wrong_inertia_is_named_unless_it_is_uncertain(self):
        lines, outcome = self.table(mode="lie")
        self.assertRegex(lines["mumps"], "WRONG INERTIA$")
        self.assertEqual(self.counts_of(outcome, "mumps")["wrong"], 1)
        self.assertEqual(self.counts_of(outcome, "espalier-signs")["wrong"], 0)
        lines, outcome = self.table(mode="doubt")
        self.assertRegex(lines["mumps"], "uncertain, and differs$")
        self.assertEqual(self.counts_of(outcome, "mumps")["uncertain"], 1)

    def test_an_inaccurate_solution_is_named_and_has_no_ratio(self):
        lines, outcome = self.table(mode="inaccurate")
        self.assertRegex(lines["mumps"], "right, inaccurate$")
        counts = self.counts_of(outcome, "mumps")
        self.assertEqual((counts["inaccurate"], counts["beaten"]), (1, 1))
        self.assertNotIn("mumps takes", outcome.out)

    def test_a_crash_is_a_row(self):
        lines, outcome = self.table(mode="crash")
        self.assertRegex(lines["mumps"], "failed: exit code 1: no memory$")
        self.assertRegex(lines["espalier-signs"], "right$")
        self.assertEqual(self.counts_of(outcome, "mumps")["failed"], 1)

    def test_the_time_of_a_peer_is_limited(self):
        lines, _ = self.table("--time-limit", 2, mode="slow")
        self.assertRegex(lines["mumps"], "failed: no result after 2 s$")

    def test_missing_peers_are_named_in_one_line_each(self):
        outcome = self.compare(self.matrix, "--solvers", "espalier-signs,mumps,qdldl", "--python", "/nowhere/python", mode="broken")
        self.assertRegex(outcome.err, r"\Aindefinite: mumps is missing: [^\n]+\nindefinite: qdldl is missing: [^\n]+\n\Z")

    def test_another_python_has_other_names(self):
        outcome = self.compare(self.matrix, "--solvers", "mumps,qdldl@old", "--also", "old=/nowhere/python")
        self.assertRegex(outcome.err, r"\Aindefinite: qdldl@old is missing: cannot be started[^\n]+\n\Z")

    def test_without_signs_the_solver_that_needs_them_has_no_row(self):
        (self.folder / "k.mtx.signs").unlink()
        outcome = self.compare(self.matrix, "--solvers", "espalier-signs,mumps")
        self.assertRegex(outcome.out, r"\nk +3 +mumps|/k +3 +mumps")
        self.assertNotRegex(outcome.out, r"(?m)^.*espalier-signs +\d")

    def test_options_for_espalier(self):
        lines, _ = self.table("--espalier-options=--regularization 1e-8,0,0,0")
        self.assertRegex(lines["espalier-signs"], "uncertain$")  # because its shifts may decide signs

    def test_a_failure_of_espalier_ends_with_1(self):
        lines, _ = self.table("--espalier-options=--nonsense", code=1)
        self.assertRegex(lines["espalier-signs"], "failed: exit code 2: .*nonsense")

    def test_earlier_answers_stand_beside_new_ones(self):
        file = self.folder / "earlier.json"
        self.table("--json", file, mode="lie")
        outcome = self.compare(self.matrix, "--solvers", "espalier-signs", "--ours", "espalier-signs", "--earlier", file)
        self.assertRegex(outcome.out, r"mumps .*WRONG INERTIA")
        self.assertEqual(len(re.findall(r"^ *(?:\S+ +3 +)?espalier-signs .*right$", outcome.out, re.M)), 1)

    def test_folders_and_generated_matrices(self):
        outcome = self.compare(self.folder, "stokes2d:4", "--solvers", "mumps")
        self.assertIn(f"{self.folder.name}/k ", outcome.out)
        self.assertRegex(outcome.out, r"stokes2d:4 +39 +mumps .*right")
        self.assertIn("inertia 24 15 0 (generator)", outcome.out)

    def test_refused(self):
        nonsense = self.write("a.mtx", "nonsense\n")
        for system, options, said in ((self.matrix, ["--solvers", "nosuch"], "there is no solver nosuch"),
                                      (self.matrix, ["--solvers", "mumps", "--earlier", "/none"], "/none"),
                                      ("nosuch:3", ["--solvers", "mumps"], "nosuch:3"),
                                      (nonsense, ["--solvers", "mumps"], "not a real symmetric coordinate file")):
            self.assertIn(said, self.compare(system, *options, code=2).err)
        self.assertIn("no solver is left", self.compare(self.matrix, "--solvers", "mumps", mode="broken", code=2).err)


class Oracle(ProgramTest):
    def test_entries_are_symmetric_and_the_diagonal_is_complete(self):
        system = system_of({(2, 1): 1.0, (1, 2): 2.0, (3, 3): 5.0}, 3)  # both triangles are added
        self.assertEqual(system.product(np.array([1.0, 10, 100])).tolist(), [30, 3, 500])
        self.assertEqual((len(system.values), system.norm), (4, 5))
        self.assertEqual(system.backward_error(np.ones(3)), 0)
        self.assertAlmostEqual(system.backward_error(np.array([1, 1, 1.5])), 2.5 / (5 * 1.5 + 5))
        self.assertEqual(system.backward_error(np.array([1, math.nan, 1])), math.inf)
        self.assertEqual(system.backward_error(np.array([1, 1, 1e308])), math.inf)
        singular = system_of({(1, 1): 1.0, (2, 1): 1.0, (2, 2): 1.0 + 2.0**-52}, 2)
        self.assertEqual(singular.backward_error(np.array([1e200, -1e200])), math.inf)
        self.assertEqual(system.backward_error(np.ones(2)), math.inf)

    def test_eigenvalues_of_badly_scaled_matrices(self):
        scale = np.array([1e-9, 1e9, 1, 1e6])
        entries = {(i + 1, j + 1): float(scale[i] * scale[j] * (2 * (-1) ** i if i == j else 0.1)) for i in range(4) for j in range(i + 1)}
        self.assertEqual(system_of(entries, 4).known, indefinite_systems.Known([2, 2, 0], "eigenvalues"))

    def test_exact_arithmetic_decides_nearly_singular_matrices(self):
        tiny = 2.0**-51
        for shift, expected in ((0, [1, 1, 1]), (tiny, [2, 1, 0]), (-tiny, [1, 2, 0])):
            system = system_of({(1, 1): 1.0 + shift, (2, 1): 1.0, (2, 2): 1.0, (3, 3): -1.0}, 3)
            self.assertEqual(indefinite_systems.dense_inertia(system).source, "nearly singular (1 eigenvalues)")
            self.assertEqual(system.known, indefinite_systems.Known(expected, "exact arithmetic"))

    def test_a_larger_singular_matrix_has_no_known_inertia(self):
        n = indefinite_systems.MOST_EXACT + 1
        known = system_of({(k, k): float(k < n) for k in range(1, n + 1)}, n).known
        self.assertEqual((known.inertia, known.source), (None, "nearly singular (1 eigenvalues)"))

    def test_exact_arithmetic_agrees_with_eigenvalues(self):
        random = np.random.default_rng(5)
        for trial in range(20):
            lower = np.tril(np.where(random.random((12, 12)) < 0.3, random.integers(-3, 4, (12, 12)), 0)).astype(float)
            lower[np.diag_indices(12)] *= random.random(12) < 0.4
            entries = {(i + 1, j + 1): lower[i, j] for i, j in zip(*np.nonzero(lower))}
            values = np.linalg.eigvalsh(lower + np.tril(lower, -1).T)
            expected = [int((values > 1e-9).sum()), int((values < -1e-9).sum()), int((abs(values) <= 1e-9).sum())]
            self.assertEqual(indefinite_systems.exact_inertia_of(system_of(entries, 12)).inertia, expected, trial)

    def test_exact_arithmetic_gives_up_after_much_work(self):
        system = system_of(ENTRIES, 3)
        with unittest.mock.patch("exact_inertia.MOST_WORK", 0):
            self.assertIsNone(indefinite_systems.exact_inertia_of(system))
        self.assertEqual(indefinite_systems.exact_inertia_of(system).inertia, [2, 1, 0])

    def test_formulas_of_generated_matrices(self):
        for name in ("stokes2d:6", "mixed2d:5", "helmholtz3d:9"):
            system = indefinite_systems.read(name, self.folder, PROGRAM)
            self.assertEqual(system.known.source, "generator")
            self.assertEqual(system.known.inertia, indefinite_systems.dense_inertia(system).inertia, name)

    def test_missing_diagonal_entries_are_stored(self):
        file = self.write("k.mtx", symmetric(3, {(1, 1): 4.0, (2, 1): -1e-30, (3, 3): 1 / 3}))
        indefinite_systems.read(str(file), self.folder, PROGRAM).write(self.folder / "system.bin")
        n, starts, rows, values, _ = interface.read_system(self.folder / "system.bin")
        self.assertEqual((n, starts.tolist(), rows.tolist()), (3, [0, 2, 3, 4], [0, 1, 1, 2]))
        self.assertEqual(values.tolist(), [4, -1e-30, 0, 1 / 3])

    def test_votes_and_signs(self):
        file = self.write("k.mtx", symmetric(3, ENTRIES))
        signs = self.write("k.mtx.signs", SIGNS)
        system = indefinite_systems.read(str(file), self.folder, PROGRAM)
        self.assertEqual(system.signs, signs.resolve())
        self.assertEqual(indefinite_systems.inertia_of_signs(system).inertia, [2, 1, 0])
        signs.write_text("1\n1\n1\n")
        self.assertIsNone(indefinite_systems.inertia_of_signs(system))
        for last, expected in (("agree", [1, 1, 1]), ("differ", None)):
            self.write("inertia.tsv", f"matrix\tvoted\tall\nother\t3 0 0\tagree\nk\t1 1 1\t{last}\n")
            known = indefinite_systems.voted_inertia(system)
            self.assertEqual(known and known.inertia, expected)

    def test_solvers_vote_if_they_agree(self):
        def row(name, inertia, status="exact"):
            return indefinite_table.Row(name, True, [answer(inertia, status)])
        self.assertEqual(indefinite_table.vote([row("mumps", [2, 1, 0]), row("feral", [2, 1, 0])]), [2, 1, 0])
        self.assertIsNone(indefinite_table.vote([row("mumps", [2, 1, 0]), row("feral", [1, 2, 0]), row("ssids", [2, 1, 0])]))
        self.assertIsNone(indefinite_table.vote([row("mumps", [2, 1, 0]), row("feral", [2, 1, 0], "uncertain")]))
        self.assertIsNone(indefinite_table.vote([row("mumps", [2, 1, 0]), row("pardiso", [2, 1, 0])]))


class Scalar:
    """The matrix 2, as interface.Checked."""

    @staticmethod
    def residual(x, b):
        return b - 2 * x, float(abs(b - 2 * x)[0] / (2 * abs(x)[0] + abs(b)[0]))


class Refinement(ProgramTest):
    def test_refined_until_the_target_or_no_progress(self):
        b = np.array([2.0])
        for divisor, most, steps in ((2.0, 10, 0), (2.002, 10, 4), (2.002, 2, 2), (1.0, 10, 1)):
            x, taken = interface.refined(lambda r, divisor=divisor: r / divisor, Scalar, b, most)
            self.assertEqual(taken, steps, divisor)
        self.assertEqual(x[0], 2)  # the step from 2 to 0 is not taken
        x, _ = interface.refined(lambda r: r / 2.002, Scalar, b, 10)
        self.assertAlmostEqual(x[0], 1, delta=1e-14)

    def test_the_first_factorization_may_analyze(self):
        class Peer:
            def factor(self):
                pass
        analysis, factor = interface.analyzed_and_factored(Peer(), 3)
        self.assertTrue(0 <= analysis < 1 and 0 <= factor < 1)
        Peer.analyze = lambda self: [][0]
        self.assertRaises(IndexError, interface.analyzed_and_factored, Peer(), 3)


class Wrappers(ProgramTest):
    """The wrappers of peers. ESPALIER_PEERS_PYTHON names a Python with their packages."""

    def test_they_answer_or_say_what_is_missing(self):
        python = os.environ.get("ESPALIER_PEERS_PYTHON", sys.executable)
        system_of(ENTRIES, 3).write(self.folder / "system.bin")
        wrappers = sorted((BENCH / "symmetric_peers").glob("peer_*.py"))
        self.assertEqual(len(wrappers), 4)
        for wrapper, variant in ((wrapper, variant) for wrapper in wrappers for variant in ("", "matching")):
            run = subprocess.run([python, "-B", wrapper, self.folder / "system.bin", self.folder / "x.bin", variant], capture_output=True,
                                 text=True, env=environment(OMP_CANCELLATION="true"))
            if run.returncode == 3:
                self.assertRegex(run.stderr, r"\A[^\n]+\n\Z")
                continue
            self.assertEqual(run.returncode, 0, run.stderr)
            line = json.loads(run.stdout)
            self.assertEqual((line["inertia"], line["perturbed"]), ([2, 1, 0], 0), wrapper.name)
            self.assertLess(abs(np.fromfile(self.folder / "x.bin") - 1).max(), 1e-12)


if __name__ == "__main__":
    main()
