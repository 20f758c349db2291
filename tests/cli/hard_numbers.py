#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Numerically hard matrices: either a right answer, checked by a residual in exact arithmetic, or a refusal with the right code."""
import fractions
import math
import random

from support.matrices import array, grid_entries, symmetric
from support.program import ACCEPTED_ERROR, Outcome, ProgramTest, espalier, main
from support.ranks import MPIRUN, on_ranks

M = 9  # the grid has M x M unknowns
N = M * M
FAILED = 1  # exit code if the solution is not accurate, and is therefore not written
REFUSED = 4
ALL_FACTORIZATIONS = [("--factorization", name) for name in ("llt", "ldlt", "auto")]


def exact_error(entries, x, b):
    """Returns the normwise backward error, max|b - A x| / (norm(A) max|x| + max|b|), without rounding."""
    x, b = ([fractions.Fraction(value) for value in vector] for vector in (x, b))
    r = list(b)
    rows = [fractions.Fraction(0)] * len(b)
    for (i, j), value in entries.items():
        exact = fractions.Fraction(value)
        for row, column in {(i - 1, j - 1), (j - 1, i - 1)}:
            r[row] -= exact * x[column]
            rows[row] += abs(exact)
    return float(max(map(abs, r)) / (max(rows) * max(map(abs, x)) + max(map(abs, b))))


def scaled(entries, scale):
    """Returns D A D, where D is diagonal with the entry scale(k) in row k."""
    return {(i, j): value * scale(i) * scale(j) for (i, j), value in entries.items()}


def with_condition(n, condition, seed):
    """Returns a dense matrix with eigenvalues from 1 down to 1 / condition, equidistant on a logarithmic scale: H D H, where H is a
    reflection (Householder, 1958)."""
    draw = random.Random(seed)
    v = [draw.gauss(0, 1) for _ in range(n)]
    length = math.sqrt(math.fsum(value * value for value in v))
    v = [value / length for value in v]
    d = [condition ** (-k / (n - 1)) for k in range(n)]
    vdv = math.fsum(d[k] * v[k] * v[k] for k in range(n))
    return {(i + 1, j + 1): math.fsum([d[i] * (i == j), -2 * v[i] * v[j] * (d[i] + d[j]), 4 * v[i] * v[j] * vdv])
            for i in range(n) for j in range(i + 1)}


def on_two_ranks(*arguments):
    """Runs the program on two ranks. Returns its outcome, with the error without the words of mpirun."""
    run = on_ranks(2, *arguments, "--workers", 1)
    error = "".join(line for line in run.stderr.splitlines(keepends=True) if line.startswith("espalier: "))
    return Outcome(run.returncode, run.stdout, error)


class HardNumbers(ProgramTest):
    def outcome_of(self, entries, n=N, error=ACCEPTED_ERROR, options=(), run=espalier):
        """Returns the exit code of a solve. If it wrote a solution, expects a backward error of at most `error`."""
        matrix = self.write("a.mtx", symmetric(n, entries))
        b = [1.0 + k % 7 for k in range(n)]
        rhs, out = self.write("b.mtx", array([b])), self.folder / "x.mtx"
        outcome = run("solve", matrix, "--rhs", rhs, "--out", out, *options)
        self.assertEqual(out.exists(), outcome.code == 0, outcome.err)
        if outcome.code != 0:
            self.assertRegex(outcome.err, r"\Aespalier: [^\n]+\n\Z")
            return outcome.code
        x = [float(line) for line in out.read_text().split("\n")[2:] if line]
        self.assertTrue(all(map(math.isfinite, x)))
        self.assertLessEqual(exact_error(entries, x, b), error)
        out.unlink()
        return 0

    def test_conditions(self):
        for exponent in range(8, 17):
            for seed in (1, 2, 3):
                with self.subTest(condition=f"1e{exponent}", seed=seed):
                    code = self.outcome_of(with_condition(40, 10.0 ** exponent, seed), n=40)
                    self.assertIn(code, [0] if exponent < 14 else [0, REFUSED])

    def test_scales(self):
        for exponent in (-300, -150, -20, 20, 150, 300):
            with self.subTest(scale=f"1e{exponent}"):
                entries = {place: value * 10.0 ** exponent for place, value in grid_entries(M).items()}
                self.assertEqual(self.outcome_of(entries), 0)

    def test_graded_rows(self):
        draw = random.Random(5)
        exponents = [draw.uniform(-1, 1) for _ in range(N + 1)]
        for decades in (4, 20, 70, 140):
            with self.subTest(decades=decades):
                self.assertEqual(self.outcome_of(scaled(grid_entries(M), lambda k: 10.0 ** (decades * exponents[k]))), 0)
            with self.subTest(falling=decades):
                self.assertEqual(self.outcome_of(scaled(grid_entries(M), lambda k: 10.0 ** (decades * (1 - 2 * k / N)))), 0)

    def test_sums_that_overflow(self):
        """All entries are finite, but sums of rows overflow, or the solution does, or intermediate products do."""
        for diagonal, beside in ((1e308, -1e307), (1.7e308, -4e307), (1.7e308, 1e307)):
            entries = {(i, j): diagonal if i == j else beside for i, j in grid_entries(M)}
            for options in ALL_FACTORIZATIONS:
                with self.subTest(diagonal=diagonal, beside=beside, options=options):
                    self.assertEqual(self.outcome_of(entries, options=options), 0)
                    if MPIRUN:
                        self.assertEqual(self.outcome_of(entries, options=options, run=on_two_ranks), 0)
        tiny = {place: value * 1e-308 for place, value in grid_entries(M).items()}
        for options in ALL_FACTORIZATIONS:
            self.assertEqual(self.outcome_of(tiny, options=options), FAILED)

    def test_denormal_entries(self):
        few = {**grid_entries(M), (5, 4): 5e-324, (40, 31): -1e-310}
        for options in ALL_FACTORIZATIONS:
            self.assertEqual(self.outcome_of(few, options=options), 0)
        for exponent in (-308, -312, -320):
            with self.subTest(scale=f"1e{exponent}"):
                entries = {place: value * 10.0 ** exponent for place, value in grid_entries(M).items()}
                for options in ALL_FACTORIZATIONS:
                    self.assertIn(self.outcome_of(entries, error=1e-10, options=options), [0, FAILED, REFUSED])
                    if MPIRUN:
                        self.assertIn(self.outcome_of(entries, error=1e-10, options=options, run=on_two_ranks), [0, FAILED, REFUSED])

    def test_hilbert_blocks(self):
        """Blocks of Hilbert's matrix, coupled by a grid of very weak entries."""
        for size in (3, 6, 9, 12, 15):
            entries = {(i, j): 1e-30 * value for (i, j), value in grid_entries(M).items()}
            for i in range(N):
                for j in range(i // size * size, i + 1):
                    entries[i + 1, j + 1] = 1 / (i % size + j % size + 1)
            with self.subTest(size=size):
                self.assertIn(self.outcome_of(entries), [0] if size < 12 else [0, REFUSED])

    def test_singular_to_rounding(self):
        """A grid without a boundary. Its rows sum to zero: exactly in one case, and with rounded weights in the other."""
        draw = random.Random(7)
        for weight in (lambda: 1.0, lambda: draw.uniform(0.1, 1)):
            entries = {(k, k): 0.0 for k in range(1, N + 1)}
            for i, j in grid_entries(M):
                if i == j:
                    continue
                value = weight()
                entries[i, j] = -value
                entries[i, i] += value
                entries[j, j] += value
            for shift, codes in ((0, [0, REFUSED]), (1e-13, [0]), (-1e-9, [REFUSED])):
                shifted = {(i, j): value + (i == j) * shift for (i, j), value in entries.items()}
                with self.subTest(shift=shift):
                    self.assertIn(self.outcome_of(shifted), codes)

    def test_all_policies_and_kernels_agree_about_what_is_hard(self):
        hard = scaled(with_condition(60, 1e11, 4), lambda k: 2.0 ** (k % 30 * 10 - 150))
        for options in (["--workers", 2, "--granularity", "block", "--panel-width", 8], ["--kernels", "own"], ["--kernels", "blas"],
                        ["--kernels", "mixed"], ["--sched", "fanout", "--granularity", "tile", "--panel-width", 8]):
            with self.subTest(options=options):
                self.assertEqual(self.outcome_of(hard, n=60, options=options), 0)


if __name__ == "__main__":
    main()
