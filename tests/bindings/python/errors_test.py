# SPDX-License-Identifier: BSD-3-Clause
"""Tests of exceptions, and of the state of a factor after them."""
import unittest

import numpy as np
from scipy import sparse

import espalier
from matrices import backward_error, laplace2d, tolerance


class Errors(unittest.TestCase):
    def test_not_positive_definite(self):
        a = laplace2d(6).tolil()
        a[17, 17] = -1.0
        f = espalier.CholeskyFactor(a)
        with self.assertRaises(espalier.NotPositiveDefiniteError) as raised:
            f.factorize(a)
        self.assertEqual(raised.exception.column, 17)
        self.assertIn("column 17, counted from 0", str(raised.exception))
        self.assertIsInstance(raised.exception, np.linalg.LinAlgError)
        self.assertIsInstance(raised.exception, ValueError)
        for call in (f.logdet, f.inv, lambda: f.solve(np.ones(36)), lambda: f.factor, lambda: f.colcount):
            self.assertRaisesRegex(espalier.UsageError, "not factored", call)
        f.factorize(a, beta=2.0)
        shifted = a + 2 * sparse.identity(36)
        self.assertLess(backward_error(shifted, f.solve(np.ones(36)), np.ones(36)), tolerance(a))

    def test_a_diagonal_that_is_missing_is_zero(self):
        a = sparse.csc_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))
        with self.assertRaises(espalier.NotPositiveDefiniteError) as raised:
            espalier.cho_factor(a)
        self.assertEqual(raised.exception.column, 0)
        self.assertAlmostEqual(espalier.cho_factor(a, beta=3.0).det(), 8.0, places=13)

    def test_input(self):
        a = laplace2d(3)
        not_finite = a.copy()
        not_finite.data[0] = np.nan
        f = espalier.cho_factor(a)
        cases = [
            (espalier.UsageError, "3 rows and 2 columns", lambda: espalier.cho_factor(np.ones((3, 2)))),
            (TypeError, "complex", lambda: espalier.cho_factor(a * 1j)),
            (espalier.NotSupportedError, "complex", lambda: f.solve(np.ones(9) * 1j)),
            (espalier.InputError, "", lambda: espalier.cho_factor(not_finite, lower=True)),
            (espalier.UsageError, "shape", lambda: f.solve(np.ones(8))),
            (espalier.UsageError, "0 dimensions", lambda: f.solve(np.float64(1))),
            (espalier.UsageError, "3 dimensions", lambda: f.solve(np.ones((9, 1, 1)))),
            (espalier.UsageError, "system", lambda: f.solve(np.ones(9), "LL")),
            (espalier.UsageError, "sym_kind", lambda: espalier.cho_factor(a, sym_kind="both")),
            (espalier.UsageError, "supernodal_mode", lambda: espalier.cho_factor(a, supernodal_mode="fast")),
            (espalier.UsageError, "kind", lambda: f.get_factor("LU")),
        ]
        for error, text, call in cases:
            with self.subTest(text):
                self.assertRaisesRegex(error, text, call)

    def test_options(self):
        a = laplace2d(3)
        cases = [
            (espalier.UsageError, "unknown option 'wrkers'", {"wrkers": 2}),
            (espalier.UsageError, "whole number", {"workers": "two"}),
            (espalier.UsageError, "panel-width: '3' is not a whole number from 8 to 8192", {"panel_width": 3}),
            (espalier.UsageError, "number of bytes", {"memory_limit": "1Q"}),
            (espalier.EspalierError, "no_such_file", {"order": "no_such_file"}),
            (espalier.OutOfMemoryError, "", {"memory_limit": 1}),
            (espalier.OutOfMemoryError, "limit of 1.0 KiB", {"memory_limit": "1K"}),
            (MemoryError, "", {"memory_limit": 1}),
            (espalier.UnknownSchedulerError, "lws", {"sched": "no_such_policy"}),
        ]
        for error, text, options in cases:
            with self.subTest(text):
                self.assertRaisesRegex(error, text, lambda: espalier.cho_factor(a, **options))

    def test_what_there_is_not(self):
        f = espalier.CholeskyFactor(laplace2d(3))
        for call in (lambda: f.update(None), lambda: f.downdate(None), lambda: f.factorize(laplace2d(3), ldl=True)):
            self.assertRaises(espalier.NotSupportedError, call)
        self.assertTrue(issubclass(espalier.NotSupportedError, NotImplementedError))
