# SPDX-License-Identifier: BSD-3-Clause
"""Compares factorizations A = L J Lᵀ with given signs with dense results of NumPy."""
import pickle
import unittest

import numpy as np
from scipy import sparse

import espalier
import espalier.sksparse as cholmod
from matrices import backward_error, laplace2d, random_spd, tolerance

CLARABEL = (1e-8, 4.9e-32, 1e-13, 2e-7)


def random_signs(n, seed):
    return np.random.RandomState(seed).choice([1, -1], n)


def quasi_definite(a, signs):
    """Returns a matrix whose blocks of negative signs are those of the negated positive definite matrix."""
    a = sparse.csc_matrix(a, copy=True)
    columns = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    a.data[(signs[a.indices] < 0) & (signs[columns] < 0)] *= -1
    return a


class LDLT(unittest.TestCase):
    def setUp(self):
        self.signs = random_signs(60, seed=1)
        self.a = quasi_definite(random_spd(60, seed=1), self.signs)
        self.dense = self.a.toarray()
        self.b = np.random.RandomState(2).standard_normal((60, 3))
        self.f = espalier.ldlt_factor(self.a, self.signs)

    def expect_solved(self, f, dense):
        self.assertLess(backward_error(dense, f.solve(self.b), self.b), tolerance(dense))

    def test_every_kind_of_matrix_and_signs(self):
        for kind in ("csc", "csr", "coo"):
            for lower in (True, False):
                for check in (True, False):
                    f = espalier.ldlt_factor(self.a.asformat(kind), self.signs, lower=lower, check=check)
                    self.expect_solved(f, self.dense)
        for signs in (list(self.signs), self.signs.astype(float), self.signs.astype(np.int8), tuple(self.signs)):
            self.expect_solved(espalier.ldlt_factor(self.dense, signs), self.dense)

    def test_parts(self):
        for order in ("default", "amd", None):
            f = espalier.ldlt_factor(self.a, self.signs, order=order, lower=True)
            p, l = f.perm, f.L.toarray()
            permuted, j = self.dense[p][:, p], np.diag(self.signs[p])
            self.assertLess(abs(l @ j @ l.T - permuted).max(), 1e-12)
            unit, d = (part.toarray() for part in f.get_factor("LDL"))
            self.assertLess(abs(unit @ d @ unit.T - permuted).max(), 1e-12)
            np.testing.assert_allclose(unit.diagonal(), 1, rtol=1e-15)
            np.testing.assert_array_equal(np.sign(d.diagonal()), self.signs[p])
            systems = {"L": l, "LD": l @ j, "Lt": l.T, "DLt": j @ l.T, "LDLt": l @ j @ l.T, "D": j}
            for system, matrix in systems.items():
                self.assertLess(backward_error(matrix, f.solve(self.b, system), self.b), tolerance(self.a), (order, system))
            self.assertRaisesRegex(espalier.UsageError, "'LDL'", f.get_factor, "LL")
            self.assertFalse(f.is_ll)
        self.assertTrue(espalier.cho_factor(laplace2d(3)).is_ll)

    def test_determinants_have_a_sign(self):
        found = set()
        for seed in range(6):
            signs = random_signs(15, seed)
            a = quasi_definite(random_spd(15, seed), signs)
            f = espalier.ldlt_factor(a, signs)
            sign, logarithm = np.linalg.slogdet(a.toarray())
            self.assertEqual(f.slogdet()[0], sign)
            self.assertAlmostEqual(f.slogdet()[1], logarithm, places=11)
            self.assertEqual(f.logdet(), f.slogdet()[1])
            self.assertAlmostEqual(f.det() / np.linalg.det(a.toarray()), 1, places=11)
            found.add(sign)
        self.assertEqual(found, {1, -1})
        large = espalier.ldlt_factor(-1e200 * sparse.identity(3), -np.ones(3))
        self.assertEqual((large.det(), large.slogdet()[0]), (-np.inf, -1))

    def test_inertia(self):
        eigenvalues = np.linalg.eigvalsh(self.dense)
        inertia = self.f.inertia
        self.assertEqual(inertia, ((eigenvalues > 0).sum(), (eigenvalues < 0).sum(), 0, "exact"))
        self.assertEqual((inertia.negative, inertia.status), (np.count_nonzero(self.signs < 0), "exact"))
        self.assertIsInstance(inertia, espalier.Inertia)
        self.assertTrue(0.25 <= self.f.growth < 10)
        self.assertEqual(len(self.f.replaced_pivots), 0)
        self.assertEqual(self.f.report()["factor"]["inertia"]["negative"], inertia.negative)
        positive = espalier.cho_factor(laplace2d(3))
        self.assertEqual(positive.inertia, (9, 0, 0, "exact"))
        self.assertAlmostEqual(positive.growth, 1)

    def test_an_inertia_near_a_singular_matrix_is_uncertain(self):
        a = sparse.csc_matrix(np.array([[1.0, 1.0], [1.0, np.nextafter(1.0, 2.0)]]))
        self.assertEqual(espalier.ldlt_factor(a, [1, 1]).inertia, (2, 0, 0, "uncertain"))
        a = sparse.csc_matrix(np.array([[1e-12, 1.0], [1.0, -1e-12]]))
        f = espalier.ldlt_factor(a, [1, -1])
        self.assertGreater(f.growth, 1e11)
        self.assertEqual(f.inertia, (1, 1, 0, "exact"))

    def test_wrong_signs(self):
        signs = self.signs.copy()
        diagonal = sparse.diags(signs.astype(float)).tocsc()
        signs[17] *= -1
        with self.assertRaises(espalier.WrongPivotSignError) as raised:
            espalier.ldlt_factor(diagonal, signs)
        self.assertEqual(raised.exception.column, 17)
        self.assertRegex(str(raised.exception), "given signs: the pivot of column 17, counted from 0.*regularization")
        for kind in (espalier.PivotError, espalier.EspalierError, np.linalg.LinAlgError, ValueError):
            self.assertIsInstance(raised.exception, kind)
        self.assertNotIsInstance(raised.exception, espalier.NotPositiveDefiniteError)
        self.assertTrue(issubclass(espalier.NotPositiveDefiniteError, espalier.PivotError))
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((type(again), str(again)), (espalier.WrongPivotSignError, str(raised.exception)))

    def test_a_wrong_sign_leaves_no_factor(self):
        f = self.f
        with self.assertRaises(espalier.WrongPivotSignError):
            f.factorize(-self.a)
        for call in (f.logdet, f.slogdet, f.det, lambda: f.inertia, lambda: f.growth, lambda: f.replaced_pivots):
            self.assertRaisesRegex(espalier.UsageError, "not factored", call)
        f.set_signs(-self.signs)
        self.expect_solved(f.factorize(-self.a), -self.dense)
        self.assertEqual(f.inertia.negative, np.count_nonzero(self.signs > 0))

    def test_other_values_and_signs(self):
        self.expect_solved(self.f.factorize(3 * self.a), 3 * self.dense)
        self.f.set_signs(-self.signs)
        self.assertFalse(self.f.is_numeric)
        self.expect_solved(self.f.factorize(-self.a, ldl=True), -self.dense)

    def test_replaced_pivots(self):
        signs = self.signs.copy()
        diagonal = sparse.diags(signs.astype(float)).tocsc()
        signs[[3, 17]] *= -1
        f = espalier.ldlt_factor(diagonal, signs, regularization=[0, 0, 1e-13, 0.25])
        np.testing.assert_array_equal(f.replaced_pivots, [3, 17])
        self.assertEqual(f.inertia.status, "uncertain")
        expected = signs.astype(float)
        expected[[3, 17]] *= 0.25
        np.testing.assert_array_equal(f.get_factor("LDL")[1].diagonal(), expected[f.perm])

    def test_a_zero_block_is_regularized(self):
        """The constraints of a quadratic program have a diagonal of zeros, which the matrix does not store."""
        h, c = laplace2d(6), sparse.random(8, 36, density=0.3, random_state=np.random.RandomState(5)) + sparse.eye(8, 36)
        kkt = sparse.bmat([[h, c.T], [c, None]], format="csc")
        signs = np.r_[np.ones(36), -np.ones(8)]
        f = espalier.ldlt_factor(kkt, signs, regularization=CLARABEL, refine=10)
        b = np.arange(44.0)
        self.assertLess(backward_error(kkt, f.solve(b), b), tolerance(kkt))
        self.assertEqual(f.inertia, (36, 8, 0, "uncertain"))

    def test_pickles_keep_the_signs(self):
        f = pickle.loads(pickle.dumps(self.f))
        self.assertEqual((f.inertia, f.slogdet()), (self.f.inertia, self.f.slogdet()))
        self.expect_solved(f, self.dense)
        self.assertFalse(pickle.loads(pickle.dumps(espalier.CholeskyFactor(self.a, signs=self.signs))).is_numeric)

    def test_a_notebook_shows_the_inertia(self):
        text = f"{np.count_nonzero(self.signs > 0)} positive, {np.count_nonzero(self.signs < 0)} negative, 0 zero (exact)"
        self.assertIn(text, self.f._repr_html_())
        self.assertNotIn("inertia", espalier.cho_factor(laplace2d(3))._repr_html_())
        self.assertNotIn("inertia", espalier.CholeskyFactor(self.a, signs=self.signs)._repr_html_())

    def test_wrong_use(self):
        zero, fraction = self.signs.copy(), self.signs.astype(float)
        zero[4], fraction[5] = 0, 0.5
        cases = [
            (espalier.UsageError, r"shape \(59,\), but the matrix has 60", lambda: espalier.ldlt_factor(self.a, self.signs[1:])),
            (espalier.UsageError, r"shape \(60, 1\)", lambda: espalier.ldlt_factor(self.a, self.signs[:, None])),
            (espalier.UsageError, "row 4, counted from 0, is 0", lambda: espalier.ldlt_factor(self.a, zero)),
            (espalier.UsageError, "row 5, counted from 0, is 0.5", lambda: espalier.ldlt_factor(self.a, fraction)),
            (espalier.UsageError, "without signs", lambda: espalier.cho_factor(laplace2d(3)).set_signs(np.ones(9))),
            (espalier.UsageError, "give no signs", lambda: espalier.CholeskyFactor(self.a, signs=self.signs, factorization="llt")),
            (espalier.UsageError, r"call cho_factor\(\)", lambda: espalier.ldlt_factor(self.a, self.signs, factorization="llt")),
            (espalier.UsageError, "regularization", lambda: espalier.ldlt_factor(self.a, self.signs, regularization=(1, 2))),
            (espalier.UsageError, "kernels", lambda: espalier.ldlt_factor(self.a, self.signs, kernels="blas")),
            (espalier.UsageError, "factorization=ldlt", lambda: espalier.cho_factor(laplace2d(3), regularization=CLARABEL)),
            (espalier.NotSupportedError, "ldlt_factor", lambda: espalier.CholeskyFactor(self.a).factorize(self.a, ldl=True)),
        ]
        for error, text, call in cases:
            with self.subTest(text):
                self.assertRaisesRegex(error, text, call)

    def test_no_rows(self):
        f = espalier.ldlt_factor(sparse.csc_matrix((0, 0)), [])
        self.assertEqual((f.inertia, f.slogdet(), f.solve(np.zeros(0)).shape), ((0, 0, 0, "exact"), (1, 0), (0,)))


class Cholmod(unittest.TestCase):
    """The names of scikit-sparse 0.4 with signs."""

    def test_parts_and_solves(self):
        signs = random_signs(50, seed=9)
        a = quasi_definite(random_spd(50, seed=9), signs)
        b = np.random.RandomState(10).standard_normal((50, 2))
        f = cholmod.cholesky(a, signs=signs)
        p = f.P()
        unit, d = (part.toarray() for part in f.L_D())
        self.assertLess(abs(unit @ d @ unit.T - a.toarray()[p][:, p]).max(), 1e-12)
        np.testing.assert_allclose(f.D(), d.diagonal(), rtol=1e-14)
        solves = [(a.toarray(), f), (unit @ d @ unit.T, f.solve_LDLt), (unit, f.solve_L), (unit.T, f.solve_Lt),
                  (unit @ d, f.solve_LD), (d @ unit.T, f.solve_DLt), (d, f.solve_D), (a.toarray(), f.copy())]
        for matrix, solve in solves:
            self.assertLess(backward_error(matrix, solve(b), b), 10 * tolerance(a))
        self.assertRaises(cholmod.CholmodError, f.L)
