# SPDX-License-Identifier: BSD-3-Clause
"""Compares factorizations of indefinite matrices that choose their pivots with dense results of NumPy."""
import pickle
import unittest

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import espalier
import espalier.sksparse as cholmod
from matrices import backward_error, laplace2d, random_spd, tolerance


def saddle_point(n, constraints, seed):
    """Returns [H, Bᵀ; B, 0] with a positive definite H and with linearly independent rows of B."""
    b = sparse.random(constraints, n, density=0.1, random_state=np.random.RandomState(seed)) + sparse.eye(constraints, n)
    return sparse.bmat([[random_spd(n, seed), b.T], [b, None]], format="csc")


def hollow(n):
    """Returns a symmetric matrix of even order without diagonal entries."""
    return sparse.diags([np.arange(1.0, n), np.arange(1.0, n)], [-1, 1], format="csc")


def inertia(dense):
    eigenvalues = np.linalg.eigvalsh(dense)
    return (eigenvalues > 0).sum(), (eigenvalues < 0).sum(), 0, "exact"


class ChosenPivots(unittest.TestCase):
    def setUp(self):
        self.a = saddle_point(60, 20, seed=3)
        self.dense = self.a.toarray()
        self.b = np.random.RandomState(2).standard_normal((80, 3))
        self.f = espalier.ldlt_factor(self.a)

    def expect_solved(self, f, dense):
        self.assertLess(backward_error(dense, f.solve(self.b[: len(dense)]), self.b[: len(dense)]), tolerance(dense))

    def expect_all(self, a, **options):
        dense = a.toarray()
        f = espalier.ldlt_factor(a, **options)
        self.expect_solved(f, dense)
        self.assertEqual(f.inertia, inertia(dense))
        sign, logarithm = np.linalg.slogdet(dense)
        self.assertEqual(f.slogdet()[0], sign)
        self.assertAlmostEqual(f.slogdet()[1], logarithm, places=9)

    def test_saddle_points(self):
        for n, constraints in ((3, 1), (5, 2), (40, 15), (60, 20)):
            self.expect_all(saddle_point(n, constraints, seed=n))
        self.expect_all(hollow(20))
        self.expect_all(-laplace2d(5))
        self.expect_all(laplace2d(8) - 2.3 * sparse.identity(64))
        self.expect_all(sparse.diags([1.0, -1.0, 3.0]).tocsc())

    def test_every_kind_of_matrix(self):
        for kind in ("csc", "csr", "coo"):
            for lower in (True, False):
                for check in (True, False):
                    self.expect_solved(espalier.ldlt_factor(self.a.asformat(kind), lower=lower, check=check), self.dense)
        self.expect_solved(espalier.ldlt_factor(self.dense), self.dense)
        self.expect_solved(espalier.ldlt_factor(sparse.triu(self.a)), self.dense)
        self.expect_solved(espalier.ldlt_factor(sparse.tril(self.a)), self.dense)

    def test_options(self):
        for options in ({"matching": False}, {"matching": True}, {"order": "amd"}, {"order": None}, {"deterministic": True},
                        {"granularity": "panel"}):
            with self.subTest(options):
                self.expect_all(self.a, **options)

    def test_matching_pairs_columns(self):
        pairs = espalier.ldlt_factor(hollow(20)).report()["analysis"]["matched_pairs"]
        self.assertEqual(pairs, 10)
        self.assertNotIn("matched_pairs", espalier.ldlt_factor(hollow(20), matching=False).report().get("analysis", {}))

    def test_automatic_factorization(self):
        f = espalier.CholeskyFactor(self.a, factorization="auto").factorize(self.a)
        self.expect_solved(f, self.dense)
        self.assertEqual(f.inertia, (60, 20, 0, "exact"))
        self.assertRaises(espalier.SingularMatrixError, f.factorize, 0 * self.a)
        definite = random_spd(80, seed=1)
        f = espalier.CholeskyFactor(definite, factorization="auto").factorize(definite)
        self.expect_solved(f, definite.toarray())
        np.testing.assert_allclose((f.R.T @ f.R).toarray(), definite.toarray()[f.perm][:, f.perm], atol=1e-12)

    def test_graded_values(self):
        scale = 10.0 ** np.linspace(-5, 5, 80)
        a = sparse.diags(scale) @ self.a @ sparse.diags(scale)
        f = espalier.ldlt_factor(sparse.csc_matrix((a + a.T) / 2))
        self.assertEqual(f.inertia, (60, 20, 0, "exact"))

    def test_other_values(self):
        for factor in (3, -1, 1e-20):
            f = self.f.factorize(factor * self.a, ldl=True)
            self.expect_solved(f, factor * self.dense)
            self.assertEqual(f.inertia, inertia(factor * self.dense))
        f = self.f.factorize(self.a, beta=-0.7)
        shifted = self.dense - 0.7 * np.eye(80)
        self.expect_solved(f, shifted)
        self.assertEqual(f.inertia, inertia(shifted))

    def test_facts(self):
        self.assertIsInstance(self.f.inertia, espalier.Inertia)
        self.assertTrue(0.25 <= self.f.growth < 100)
        self.assertEqual(len(self.f.replaced_pivots), 0)
        self.assertFalse(self.f.is_ll)
        report = self.f.report()["factor"]
        self.assertEqual(report["inertia"], {"positive": 60, "negative": 20, "zero": 0, "status": "exact"})
        self.assertEqual(report["delayed"], 0)
        self.assertIn("60 positive, 20 negative, 0 zero (exact)", self.f._repr_html_())
        np.testing.assert_array_equal(np.sort(self.f.perm), np.arange(80))

    def test_singular_matrices(self):
        dependent = self.a.tolil()
        dependent[-1, :], dependent[:, -1] = dependent[-2, :], dependent[:, -2]
        for a in (dependent.tocsc(), sparse.csc_matrix((4, 4)), sparse.csc_matrix(np.ones((3, 3)))):
            with self.assertRaises(espalier.SingularMatrixError) as raised:
                espalier.ldlt_factor(a)
            error = raised.exception
            self.assertTrue(0 <= error.column < a.shape[0])
            self.assertRegex(str(error), f"singular to rounding: the pivot of column {error.column}, counted from 0")
            self.assertIsInstance(error, np.linalg.LinAlgError)
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again)), (espalier.SingularMatrixError, str(error)))

    def test_a_singular_matrix_leaves_no_factor(self):
        self.assertRaises(espalier.SingularMatrixError, self.f.factorize, 0 * self.a)
        for call in (self.f.slogdet, lambda: self.f.inertia, lambda: self.f.solve(self.b)):
            self.assertRaisesRegex(espalier.UsageError, "not factored", call)
        self.expect_solved(self.f.factorize(self.a), self.dense)

    def test_an_uncertain_inertia(self):
        a = sparse.identity(40, format="lil")
        a[1, 2] = a[2, 1] = -1
        a[2, 2] = 1 + 3e-14
        f = espalier.ldlt_factor(a.tocsc())
        self.assertEqual(f.inertia.status, "uncertain")
        self.assertLess(abs(a @ f.solve(np.ones(40)) - 1).max(), 1e-12)

    def test_null_vectors_that_all_rows_share(self):
        laplacian = csgraph.laplacian(sparse.diags([1.0, 1.0], [-1, 1], shape=(3000, 3000)).tocsr())
        self.assertRaises(espalier.SingularMatrixError, espalier.ldlt_factor, laplacian)
        self.expect_regular(laplacian + sparse.diags([1e-3], [0], shape=(3000, 3000)))

    def expect_regular(self, a):
        self.assertEqual(espalier.ldlt_factor(a.tocsc()).inertia, (a.shape[0], 0, 0, "exact"))

    def test_pickles_keep_the_pairs(self):
        f = pickle.loads(pickle.dumps(self.f))
        self.assertEqual((f.inertia, f.nnz, list(f.perm)), (self.f.inertia, self.f.nnz, list(self.f.perm)))
        self.expect_solved(f, self.dense)
        f.factorize(2 * self.a)
        again = pickle.loads(pickle.dumps(f))
        self.assertEqual(list(again.perm), list(f.perm))
        self.expect_solved(again, 2 * self.dense)

    def test_l_is_not_a_triangle(self):
        calls = [self.f.get_factor, lambda: self.f.get_factor("LDL"), lambda: self.f.L, lambda: self.f.R, lambda: self.f.rcond,
                 lambda: self.f.colcount]
        calls += [lambda system=system: self.f.solve(self.b, system) for system in ("L", "LD", "Lt", "DLt", "D", "LDLt")]
        calls += [cholmod.cholesky(self.a, factorization="ldlt").L_D]
        for call in calls:
            with self.assertRaisesRegex(espalier.UsageError, "L is not a triangle"):
                call()

    def test_wrong_use(self):
        rectangle = sparse.csc_matrix((3, 4))
        bad = np.nan * self.a
        cases = [
            (espalier.UsageError, "without signs", lambda: self.f.set_signs(np.ones(80))),
            (espalier.UsageError, "needs the signs", lambda: espalier.ldlt_factor(self.a, regularization=(1e-8, 0, 0, 0))),
            (espalier.UsageError, r"call cho_factor\(\)", lambda: espalier.ldlt_factor(self.a, factorization="llt")),
            (espalier.UsageError, "square", lambda: espalier.ldlt_factor(rectangle)),
            (espalier.UsageError, "matching", lambda: espalier.ldlt_factor(self.a, matching=2)),
            (espalier.UsageError, "80 rows|analyzed matrix has", lambda: self.f.factorize(laplace2d(4))),
            (espalier.UsageError, "80 entries", lambda: self.f.solve(np.ones(79))),
            (espalier.InputError, "finite", lambda: espalier.ldlt_factor(bad, check=False)),
            (espalier.NotSupportedError, "ldlt_factor", lambda: espalier.cho_factor(laplace2d(3)).factorize(laplace2d(3), ldl=True)),
        ]
        for error, text, call in cases:
            with self.subTest(text):
                self.assertRaisesRegex(error, text, call)

    def test_no_rows(self):
        f = espalier.ldlt_factor(sparse.csc_matrix((0, 0)))
        self.assertEqual((f.inertia, f.slogdet(), f.solve(np.zeros(0)).shape), ((0, 0, 0, "exact"), (1, 0), (0,)))
