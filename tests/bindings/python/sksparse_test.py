# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the names of sksparse.cholmod 0.4."""
import unittest

import numpy as np
from scipy import sparse

import espalier.sksparse as cholmod
from matrices import backward_error, laplace2d, random_spd, tolerance


class Cholmod(unittest.TestCase):
    def setUp(self):
        self.a = random_spd(50, seed=9)
        self.b = np.random.RandomState(10).standard_normal((50, 2))
        self.f = cholmod.cholesky(self.a)

    def expect_solution(self, matrix, x, b):
        self.assertLess(backward_error(matrix, x, b), tolerance(self.a))

    def test_factor(self):
        p, l = self.f.P(), self.f.L()
        permuted = self.a[p][:, p]
        self.assertIsInstance(l, sparse.csc_matrix)
        self.assertLess(abs(l @ l.T - permuted).max(), 1e-13)
        unit, d = self.f.L_D()
        self.assertLess(abs(unit @ d @ unit.T - permuted).max(), 1e-13)
        self.assertLess(abs(self.f.LD() - (sparse.tril(unit, -1) + d)).max(), 1e-14)
        np.testing.assert_allclose(self.f.D(), d.diagonal(), rtol=1e-14)

    def test_solves(self):
        f, b, a = self.f, self.b, self.a.toarray()
        l = f.L().toarray()
        unit, d = (matrix.toarray() for matrix in f.L_D())
        self.expect_solution(a, f(b), b)
        self.expect_solution(a, f.solve_A(b[:, 0]), b[:, 0])
        self.expect_solution(l @ l.T, f.solve_LDLt(b), b)
        self.expect_solution(unit, f.solve_L(b), b)
        self.expect_solution(l, f.solve_L(b, use_LDLt_decomposition=False), b)
        self.expect_solution(unit.T, f.solve_Lt(b), b)
        self.expect_solution(l.T, f.solve_Lt(b, use_LDLt_decomposition=False), b)
        self.expect_solution(unit @ d, f.solve_LD(b), b)
        self.expect_solution(d @ unit.T, f.solve_DLt(b), b)
        self.expect_solution(d, f.solve_D(b), b)
        self.assertLess(abs(f.inv() * self.a - sparse.identity(50)).max(), 1e-12)
        x = f.solve_Lt(sparse.csc_matrix(b))
        self.assertIsInstance(x, sparse.csc_matrix)
        self.expect_solution(unit.T, x.toarray(), b)

    def test_permutations(self):
        p = self.f.P()
        np.testing.assert_array_equal(self.f.apply_P(self.b), self.b[p])
        np.testing.assert_array_equal(self.f.apply_Pt(self.b[p]), self.b)
        np.testing.assert_array_equal(self.f.apply_P(self.b[:, 0]), self.b[p, 0])

    def test_other_values(self):
        b = self.b
        other = self.f.cholesky(2 * self.a, beta=1)
        self.expect_solution(2 * self.a + sparse.identity(50), other(b), b)
        self.expect_solution(self.a, self.f(b), b)
        self.f.cholesky_inplace(3 * self.a)
        self.expect_solution(3 * self.a, self.f(b), b)
        self.expect_solution(3 * self.a, self.f.copy()(b), b)

    def test_products(self):
        a = sparse.random(20, 30, density=0.3, random_state=np.random.RandomState(11), format="csc")
        b = np.ones(20)
        product = a @ a.T + sparse.identity(20)
        self.expect_solution(product, cholmod.cholesky_AAt(a, beta=1)(b), b)
        analysis = cholmod.analyze_AAt(a)
        self.expect_solution(product, analysis.cholesky_AAt(a, beta=1)(b), b)
        analysis.cholesky_AAt_inplace(a, beta=1)
        self.expect_solution(product, analysis(b), b)

    def test_arguments(self):
        for mode in ("auto", "simplicial", "supernodal"):
            for method in ("natural", "amd", "metis", "nesdis", "colamd", "default", "best"):
                f = cholmod.cholesky(laplace2d(4), 0, mode, method, use_long=False)
                self.assertAlmostEqual(f.logdet(), np.linalg.slogdet(laplace2d(4).toarray())[1], places=12)

    def test_errors(self):
        with self.assertRaises(cholmod.CholmodNotPositiveDefiniteError) as raised:
            cholmod.cholesky(-self.a)
        self.assertIsInstance(raised.exception, cholmod.CholmodError)
        with self.assertRaises(NotImplementedError):
            self.f.update_inplace(self.a)
        with self.assertRaises(cholmod.CholmodError):
            self.f(self.b * 1j)
