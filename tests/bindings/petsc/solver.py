#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests PETSc's Cholesky factorization by Espalier, for every type of matrix, on the ranks that mpirun starts.

Solutions are compared with dense solutions of NumPy, and the errors of failures are checked. The environment variable
ESPALIER_PETSC names libespalier_petsc.so. run.sh starts this test, too.
"""
import os
import sys
import tempfile
import unittest

try:
    import numpy as np
    import petsc4py
except ImportError as missing:
    print(f"skipped: {missing}; tools/setup.sh --petsc installs it")
    sys.exit(77)

petsc4py.init([sys.argv[0], "-dll_append", os.environ["ESPALIER_PETSC"], "-mat_espalier_workers", "1"])
from petsc4py import PETSc  # noqa: E402

BLOCK = 3
ORDER = 20 * BLOCK
AIJ, SBAIJ = ("aij", 1), ("sbaij", 1)
LDLT = {"mat_espalier_factorization": "ldlt"}
RANKS = PETSc.COMM_WORLD.size


def dense(shift=0.0):
    """Returns a diagonally dominant matrix of blocks, which is the same on all ranks."""
    a = np.zeros((ORDER, ORDER))
    for block in range(ORDER // BLOCK):
        for other in (block, block + 1, block + 5):
            if other < ORDER // BLOCK:
                values = -1.0 / (1 + np.arange(BLOCK * BLOCK).reshape(BLOCK, BLOCK) + other % 4)
                rows, columns = slice(block * BLOCK, (block + 1) * BLOCK), slice(other * BLOCK, (other + 1) * BLOCK)
                a[rows, columns] += values
                a[columns, rows] += values.T
    return a + (12 + shift) * np.eye(ORDER)


def matrix(kind, block_size, a):
    """Returns a matrix of this type, which is divided among the ranks."""
    made = PETSc.Mat().create(PETSc.COMM_WORLD)
    made.setSizes(((PETSc.DECIDE, ORDER), (PETSc.DECIDE, ORDER)), bsize=block_size)
    made.setType(kind)
    made.setUp()
    made.setOption(PETSc.Mat.Option.NEW_NONZERO_ALLOCATION_ERR, False)
    set_values(made, a)
    return made


def set_values(made, a):
    block_size = made.getBlockSize()
    upper_alone = "sbaij" in made.getType()
    begin, end = (row // block_size for row in made.getOwnershipRange())
    for i in range(begin, end):
        for j in range(i if upper_alone else 0, ORDER // block_size):
            rows, columns = slice(i * block_size, (i + 1) * block_size), slice(j * block_size, (j + 1) * block_size)
            if i == j or a[rows, columns].any():  # a zero block of the diagonal is stored
                made.setValuesBlocked([i], [j], a[rows, columns].ravel())
    made.assemble()


def solver(operator, **options):
    """Returns a KSP that applies the factor once."""
    prefix = f"case{solver.count}_"
    solver.count += 1
    database = PETSc.Options()
    settings = {"ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "espalier", **options}
    for name, value in settings.items():
        database[prefix + name] = value
    ksp = PETSc.KSP().create(PETSc.COMM_WORLD)
    ksp.setOptionsPrefix(prefix)
    ksp.setFromOptions()
    ksp.setOperators(operator)
    return ksp


solver.count = 0


def shared_number():
    """Returns the process number of rank 0, on all ranks."""
    return round(whole(PETSc.Vec().createWithArray([float(os.getpid())], comm=PETSc.COMM_WORLD))[0])


def whole(vector):
    """Returns all entries of a distributed vector, on every rank."""
    scatter, copy = PETSc.Scatter.toAll(vector)
    scatter.scatter(vector, copy)
    return copy.getArray().copy()


class Solver(unittest.TestCase):
    def expect_solves(self, ksp, a, transposed=False):
        x, b = ksp.getOperators()[0].createVecs()
        right = 1.0 / (1 + np.arange(ORDER) % 7)
        b.setArray(right[slice(*b.getOwnershipRange())])
        (ksp.solveTranspose if transposed else ksp.solve)(b, x)
        self.assertEqual(ksp.getConvergedReason(), PETSc.KSP.ConvergedReason.CONVERGED_ITS)
        np.testing.assert_allclose(whole(x), np.linalg.solve(a, right), rtol=1e-11)

    def test_solves_with_every_type_of_matrix(self):
        for kind in ("aij", "sbaij"):
            for block_size in (1, BLOCK):
                with self.subTest(kind=kind, block_size=block_size):
                    ksp = solver(matrix(kind, block_size, dense()))
                    self.expect_solves(ksp, dense())
                    self.expect_solves(ksp, dense(), transposed=True)

    def test_reads_the_upper_triangle_alone(self):
        a = dense()
        a[ORDER - 1, 0] = a[0, ORDER - 1] = 0.5
        other = a.copy()
        other[ORDER - 1, 0] = 99
        self.expect_solves(solver(matrix(*AIJ, other)), a)

    def test_refuses_the_lower_triangle_alone(self):
        stray = np.tril(dense())
        stray[0, ORDER - 1] = 0.5
        for a in (np.tril(dense()), stray):
            with self.assertRaises(PETSc.Error) as raised:
                solver(matrix(*AIJ, a)).setUp()
            self.assertEqual(raised.exception.ierr, 62)  # PETSC_ERR_ARG_WRONG

    def test_takes_a_diagonal_matrix_and_the_upper_triangle_alone(self):
        self.expect_solves(solver(matrix(*AIJ, np.diag(np.diag(dense())))), np.diag(np.diag(dense())))
        self.expect_solves(solver(matrix(*AIJ, np.triu(dense()))), dense())

    def test_factors_new_values_with_the_same_analysis(self):
        for kind, block_size in (AIJ, SBAIJ):
            operator = matrix(kind, block_size, dense())
            ksp = solver(operator)
            self.expect_solves(ksp, dense())
            factor = ksp.getPC().getFactorMatrix()
            set_values(operator, dense(3))
            ksp.setOperators(operator)
            self.expect_solves(ksp, dense(3))
            self.assertEqual(factor.handle, ksp.getPC().getFactorMatrix().handle)

    def test_analyzes_another_pattern(self):
        operator = matrix(*AIJ, dense())
        ksp = solver(operator)
        self.expect_solves(ksp, dense())
        a = dense()
        a[0, ORDER - 1] = a[ORDER - 1, 0] = 0.25
        set_values(operator, a)
        ksp.setOperators(operator)
        self.expect_solves(ksp, a)

    def test_solves_for_the_columns_of_a_dense_matrix(self):
        operator = matrix(*AIJ, dense())
        count = 70
        right = np.cos(np.arange(ORDER * count).reshape(ORDER, count))
        rows = slice(*operator.getOwnershipRange())
        b = PETSc.Mat().createDense(((rows.stop - rows.start, ORDER), count), array=np.asfortranarray(right[rows]),
                                    comm=PETSc.COMM_WORLD)
        x = b.duplicate()
        ksp = solver(operator)
        ksp.setUp()
        ksp.getPC().getFactorMatrix().matSolve(b, x)
        np.testing.assert_allclose(x.getDenseArray(), np.linalg.solve(dense(), right)[rows], rtol=1e-9, atol=1e-12)

    def test_a_matrix_that_is_not_positive_definite_is_a_state_of_the_factor(self):
        a = dense()
        a[7, 7] = -5
        self.expect_failure(matrix(*AIJ, a), "FACTOR_NUMERIC_ZEROPIVOT")

    def test_raises_that_where_errors_are_wanted(self):
        a = dense()
        a[7, 7] = -5
        ksp = solver(matrix(*AIJ, a), ksp_error_if_not_converged=True)
        with self.assertRaises(PETSc.Error) as raised:
            ksp.setUp()
        self.assertEqual(raised.exception.ierr, 81)  # PETSC_ERR_MAT_CH_ZRPVT

    def test_a_lack_of_memory_is_a_state_of_the_factor(self):
        self.expect_failure(matrix(*AIJ, dense()), "FACTOR_OUTMEMORY", mat_espalier_memory_limit="1K")

    def test_refuses_options_that_it_does_not_know(self):
        for name, value in (("granularity", "fine"), ("panel_width", "wide"), ("panel_width", "3"), ("ordering", "best"), ("memory_limit", "1Q"),
                            ("factorization", "lu")):
            ksp = solver(matrix(*AIJ, dense()), **{"mat_espalier_" + name: value})
            with self.subTest(option=name), self.assertRaises(PETSc.Error) as raised:
                ksp.setUp()
            self.assertEqual(raised.exception.ierr, 95)  # PETSC_ERR_USER_INPUT

    def test_shows_what_it_did(self):
        ksp = solver(matrix(*AIJ, dense()), mat_espalier_ordering="natural", mat_espalier_deterministic=True)
        self.expect_solves(ksp, dense())
        entries = ksp.getPC().getFactorMatrix().getInfo()["nz_used"]
        self.assertGreaterEqual(entries, np.count_nonzero(np.triu(dense())))
        text = self.view(ksp)
        for words in ("ordering: natural", f"nnz(L): {int(entries)}", "CPU workers of all ranks:", "backward error"):
            self.assertIn(words, text)

    def expect_failure(self, operator, state, **options):
        """Expects that the solver fails, and that the factor has this state."""
        path = self.path()
        ksp = solver(operator, ksp_converged_reason=":" + path, **options)
        x, b = operator.createVecs()
        b.set(1)
        ksp.solve(b, x)
        self.assertEqual(ksp.getConvergedReason(), PETSc.KSP.ConvergedReason.DIVERGED_PCSETUP_FAILED)
        ksp.destroy()
        self.assertIn(state, self.printed(path))

    def path(self):
        """Returns the path of a file for output of PETSc. Rank 0 writes it; the other ranks run on the same machine."""
        return os.path.join(tempfile.gettempdir(), f"espalier-{shared_number()}-{solver.count}")

    def printed(self, path):
        """Returns the output of PETSc in a file, on all ranks, and removes the file."""
        PETSc.COMM_WORLD.barrier()
        with open(path, encoding="utf-8") as file:
            text = file.read()
        PETSc.COMM_WORLD.barrier()
        if PETSc.COMM_WORLD.rank == 0:
            os.remove(path)
        return text

    def view(self, ksp):
        path = self.path()
        viewer = PETSc.Viewer().createASCII(path, comm=PETSc.COMM_WORLD)
        ksp.view(viewer)
        viewer.destroy()
        return self.printed(path)


def saddle_point(scale=1.0):
    """Returns [H, B'; B, 0] with a positive definite H; the last 2 blocks of rows are B."""
    a = dense()
    first = ORDER - 2 * BLOCK
    a[first:, :] = a[:, first:] = 0
    for c in range(first, ORDER):
        for j in (c - first, 2 * (c - first) + 9):
            a[c, j] = a[j, c] = 1.0 + c % 3
    return scale * a


class ChosenPivots(unittest.TestCase):
    expect_solves = Solver.expect_solves
    expect_failure = Solver.expect_failure
    path, printed = Solver.path, Solver.printed

    def expect_inertia(self, ksp, a):
        eigenvalues = np.linalg.eigvalsh(a)
        counts = (np.count_nonzero(eigenvalues < 0), 0, np.count_nonzero(eigenvalues > 0))
        self.assertEqual(ksp.getPC().getFactorMatrix().getInertia(), counts)

    def test_every_type_of_matrix(self):
        for kind in ("aij", "sbaij"):
            for block_size in (1, BLOCK):
                for a in (saddle_point(), dense(-9.5), -dense()):
                    with self.subTest(kind=kind, block_size=block_size):
                        ksp = solver(matrix(kind, block_size, a), **LDLT)
                        self.expect_solves(ksp, a)
                        self.expect_inertia(ksp, a)

    def test_the_inertia_of_a_positive_definite_matrix(self):
        ksp = solver(matrix(*AIJ, dense()))
        ksp.setUp()
        self.expect_inertia(ksp, dense())

    def test_automatic_factorization(self):
        for a in (saddle_point(), dense()):
            ksp = solver(matrix(*AIJ, a), mat_espalier_factorization="auto")
            self.expect_solves(ksp, a)
            self.expect_inertia(ksp, a)

    def test_without_matching(self):
        ksp = solver(matrix(*AIJ, saddle_point()), mat_espalier_matching=False, **LDLT)
        self.expect_solves(ksp, saddle_point())
        self.expect_inertia(ksp, saddle_point())

    @unittest.skipIf(RANKS == 1, "ptscotch needs several ranks")
    def test_the_ordering_of_all_ranks_has_no_pairs(self):
        ksp = solver(matrix(*AIJ, dense(-9.5)), mat_espalier_ordering="ptscotch", **LDLT)
        self.expect_solves(ksp, dense(-9.5))
        self.expect_inertia(ksp, dense(-9.5))
        ksp = solver(matrix(*AIJ, dense(-9.5)), mat_espalier_ordering="ptscotch", mat_espalier_matching=True, **LDLT)
        with self.assertRaises(PETSc.Error) as raised:
            ksp.setUp()
        self.assertEqual(raised.exception.ierr, 95)  # PETSC_ERR_USER_INPUT

    def test_factors_new_values_with_the_same_analysis(self):
        for kind, block_size in (AIJ, SBAIJ):
            operator = matrix(kind, block_size, saddle_point())
            ksp = solver(operator, **LDLT)
            self.expect_solves(ksp, saddle_point())
            factor = ksp.getPC().getFactorMatrix()
            set_values(operator, saddle_point(-2))
            ksp.setOperators(operator)
            self.expect_solves(ksp, saddle_point(-2))
            self.expect_inertia(ksp, saddle_point(-2))
            self.assertEqual(factor.handle, ksp.getPC().getFactorMatrix().handle)

    def test_a_singular_matrix_is_a_state_of_the_factor(self):
        a = saddle_point()
        a[-1, :], a[:, -1] = a[-2, :], a[:, -2]
        self.expect_failure(matrix(*AIJ, a), "FACTOR_NUMERIC_ZEROPIVOT", **LDLT)
        ksp = solver(matrix(*AIJ, a), **LDLT)
        ksp.setUp()
        self.expect_wrong_state(ksp.getPC().getFactorMatrix().getInertia)
        ksp = solver(matrix(*AIJ, a), ksp_error_if_not_converged=True, **LDLT)
        with self.assertRaises(PETSc.Error) as raised:
            ksp.setUp()
        self.assertEqual(raised.exception.ierr, 81)  # PETSC_ERR_MAT_CH_ZRPVT

    def test_refuses_an_uncertain_inertia(self):
        a = np.diag(np.arange(1.0, ORDER + 1))
        a[0, 1] = a[1, 0] = -1
        a[1, 1] = 1 + 3e-14
        ksp = solver(matrix(*AIJ, a), **LDLT)
        ksp.setUp()
        self.expect_wrong_state(ksp.getPC().getFactorMatrix().getInertia)

    def test_refuses_a_regularization(self):
        ksp = solver(matrix(*AIJ, saddle_point()), mat_espalier_regularization="1e-8,0,0,0", **LDLT)
        with self.assertRaises(PETSc.Error) as raised:
            ksp.setUp()
        self.assertEqual(raised.exception.ierr, 95)  # PETSC_ERR_USER_INPUT

    def expect_wrong_state(self, call):
        with self.assertRaises(PETSc.Error) as raised:
            call()
        self.assertEqual(raised.exception.ierr, 73)  # PETSC_ERR_ARG_WRONGSTATE


if __name__ == "__main__":
    unittest.main(verbosity=0)
