# SPDX-License-Identifier: BSD-3-Clause
"""Compares solutions and factors with dense ones of NumPy."""
import pickle
import unittest
import warnings

import numpy as np
from scipy import sparse

import espalier
from matrices import backward_error, laplace2d, random_spd, tolerance


class Inputs(unittest.TestCase):
    """Tests of every kind of matrix and of right-hand side."""

    def setUp(self):
        self.a = random_spd(60, seed=1)
        self.dense = self.a.toarray()
        self.b = np.random.RandomState(2).standard_normal((60, 3))

    def expect_solved(self, matrix, **options):
        x = espalier.cho_factor(matrix, **options).solve(self.b)
        self.assertLess(backward_error(self.dense, x, self.b), tolerance(self.a))

    def test_formats(self):
        for kind in ("csc", "csr", "coo", "lil", "dok", "bsr", "dia"):
            with self.subTest(kind):
                self.expect_solved(self.a.asformat(kind))
        self.expect_solved(sparse.csc_array(self.a))
        self.expect_solved(self.dense)

    def test_one_triangle_is_enough(self):
        for format in ("csc", "csr", "coo"):
            for triangle in (sparse.tril(self.a, format=format), sparse.triu(self.a, format=format)):
                for lower in (True, False):
                    self.expect_solved(triangle, lower=lower)
                    f = espalier.CholeskyFactor(self.a, lower=lower).factorize(triangle)
                    self.assertLess(backward_error(self.dense, f.solve(self.b), self.b), tolerance(self.a))
                x = espalier.spsolve(triangle, self.b)
                self.assertLess(backward_error(self.dense, x, self.b), tolerance(self.a))
        f = espalier.CholeskyFactor(sparse.identity(60, format="csc"))
        with self.assertRaisesRegex(espalier.InputError, "has none"):
            f.factorize(sparse.tril(self.a, format="csc"))

    def test_both_triangles_are_compared(self):
        functions = (
            lambda a: espalier.spsolve(a, self.b),
            lambda a: espalier.cho_solve(a, self.b),
            espalier.cholesky,
            espalier.cho_factor,
            espalier.CholeskyFactor(self.a).factorize,
        )
        row, column = (int(part[0]) for part in sparse.triu(self.a, 1).tocoo().coords)
        differs, lacks, close = self.a.copy(), self.a.copy(), self.a.copy()
        differs[row, column] += 1
        lacks[row, column] = 0
        lacks.eliminate_zeros()
        close[row, column] *= 1 + 5e-11
        for format in ("csc", "csr", "coo"):
            for function in functions:
                given = differs.asformat(format)
                text = rf"\({column}, {row}\) = {self.a[column, row]} differs .*\({row}, {column}\) = {differs[row, column]}.*check"
                self.assertRaisesRegex(espalier.InputError, text, function, given)
                text = rf"\({column}, {row}\) has no mirror \({row}, {column}\)"
                self.assertRaisesRegex(espalier.InputError, text, function, lacks.asformat(format))
                function(close.asformat(format))

    def test_bad_matrices_are_told_by_their_cause(self):
        f = espalier.CholeskyFactor(self.a)
        first = int(self.a.indices[0] == 0)  # a position off the diagonal in column 0
        for format in ("csc", "csr"):
            for value in (np.nan, np.inf, -np.inf):
                spoiled = self.a.asformat(format).copy()
                spoiled.data[first] = value
                place = (int(spoiled.indices[first]), 0)[:: 1 if format == "csc" else -1]
                text = rf"value in row {place[0]}, column {place[1]} is not finite$"
                self.assertRaisesRegex(espalier.InputError, text, f.factorize, spoiled)
            for wrong in (-1, 60, 2**31 - 1):
                outside = self.a.asformat(format).copy()
                outside.indices[first] = wrong
                place = (wrong, 0)[:: 1 if format == "csc" else -1]
                text = rf"\({place[0]}, {place[1]}\) is outside the matrix of 60"
                self.assertRaisesRegex(espalier.InputError, text, espalier.CholeskyFactor, outside)
                self.assertRaisesRegex(espalier.InputError, text, f.factorize, outside)
                unchecked = espalier.CholeskyFactor(self.a, check=False, lower=format == "csc")
                self.assertRaisesRegex(espalier.InputError, text, unchecked.factorize, outside)
        text = "59 rows, but the analyzed matrix has 60"
        self.assertRaisesRegex(espalier.UsageError, text, f.factorize, self.a[:59, :59])
    

    def test_one_triangle_counts_without_a_comparison(self):
        for format in ("csc", "csr"):
            lower, upper = sparse.tril(self.a, format=format), sparse.triu(self.a, format=format)
            noise = sparse.triu(7 * self.a, 1)
            self.expect_solved((lower + noise).asformat(format), lower=True, check=False)
            self.expect_solved((upper + noise.T).asformat(format), lower=False, check=False)
        f = espalier.cho_factor(lower, lower=False, check=False)
        self.assertAlmostEqual(f.logdet(), np.log(self.a.diagonal()).sum())

    def test_the_first_difference_is_found_in_any_pattern(self):
        """Compares the result with the dense matrix, entry by entry."""
        random = np.random.RandomState(11)
        for n in (3, 4, 17):
            for _ in range(20):
                a = sparse.random(n, n, density=0.3, random_state=random).toarray()
                a = a + a.T + n * np.eye(n)
                a[0, n - 1] = a[n - 1, 0] = 0.5  # so that no triangle is empty
                espalier.cho_factor(a)
                i, j = random.permutation(n)[:2]
                if {i, j} == {0, n - 1}:
                    continue
                a[i, j] = 0 if a[i, j] else 1
                with self.assertRaises(espalier.InputError) as raised:
                    espalier.cho_factor(a)
                self.assertIn(f"({max(i, j)}, {min(i, j)})", str(raised.exception))

    def test_one_default_triangle_for_all_functions(self):
        import inspect

        for function in (espalier.cho_factor, espalier.cholesky, espalier.cho_solve, espalier.CholeskyFactor):
            self.assertIs(inspect.signature(function).parameters["lower"].default, False)
        self.assertEqual(sparse.tril(espalier.CholeskyFactor(self.a).factorize(self.a).get_factor(), -1).nnz, 0)

    def test_a_right_hand_side_that_is_not_finite_is_refused(self):
        f = espalier.cho_factor(self.a)
        for value in (np.nan, np.inf):
            b = self.b.copy()
            b[7, 2] = value
            for given in (b, sparse.csc_matrix(b), sparse.lil_matrix(b)):
                for system in ("A", "L", "LDLt"):
                    with self.assertRaisesRegex(espalier.InputError, rf"{value} at \(7, 2\)"):
                        f.solve(given, system)
            with self.assertRaisesRegex(espalier.InputError, r"at \(7,\)"):
                espalier.spsolve(self.a, b[:, 2])

    def test_indices_and_values_of_other_types(self):
        wide = self.a.copy()
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        self.expect_solved(wide)
        whole = sparse.csc_matrix(np.array([[4, 1], [1, 3]]))
        x = espalier.spsolve(whole, np.array([1, 2]))
        self.assertLess(abs(whole @ x - [1, 2]).max(), 1e-14)
        self.assertEqual(espalier.cho_factor(whole.astype(np.float32)).dtype, np.float64)

    def test_duplicates_are_added_and_rows_in_any_order(self):
        coo = sparse.coo_matrix(self.a)
        order = np.random.RandomState(3).permutation(2 * coo.nnz)
        parts = [np.concatenate([part, part])[order] for part in (coo.row, coo.col, coo.data / 2)]
        self.expect_solved(sparse.coo_matrix((parts[2], (parts[0], parts[1])), shape=self.a.shape))
        scattered = self.a.copy()
        for j in range(60):
            column = slice(scattered.indptr[j], scattered.indptr[j + 1])
            scattered.indices[column] = scattered.indices[column][::-1].copy()
            scattered.data[column] = scattered.data[column][::-1].copy()
        scattered.has_sorted_indices = scattered.has_canonical_format = False
        self.expect_solved(scattered)

    def test_a_right_hand_side_comes_back_in_its_kind(self):
        factor = espalier.cho_factor(self.a)
        expected = np.linalg.solve(self.dense, self.b)
        self.assertEqual(factor.solve(self.b[:, 0]).shape, (60,))
        self.assertEqual(factor.solve(self.b[:, :1]).shape, (60, 1))
        self.assertEqual(factor.solve(self.b[:, :0]).shape, (60, 0))
        self.assertLess(abs(factor.solve(np.asfortranarray(self.b)[:, ::-1]) - expected[:, ::-1]).max(), 1e-12)
        for kind in (sparse.csc_matrix, sparse.csr_matrix, sparse.coo_matrix, sparse.csc_array):
            x = factor.solve(kind(self.b))
            self.assertIs(type(x), kind)
            self.assertLess(abs(x.toarray() - expected).max(), 1e-12)
        many = sparse.random(60, 150, density=0.1, random_state=np.random.RandomState(4), format="csc")
        self.assertLess(abs(self.a @ factor.solve(many) - many).max(), 1e-12)

    def test_the_smallest(self):
        self.assertEqual(espalier.spsolve(sparse.csc_matrix([[4.0]]), np.array([8.0]))[0], 2.0)
        empty = espalier.cho_factor(sparse.csc_matrix((0, 0)))
        self.assertEqual(empty.solve(np.zeros(0)).shape, (0,))
        self.assertEqual(empty.logdet(), 0.0)

    def test_the_caller_keeps_its_arrays(self):
        before, b = self.a.copy(), self.b.copy()
        espalier.cho_factor(self.a, beta=1.0).solve(self.b)
        self.assertEqual(abs(self.a - before).nnz, 0)
        np.testing.assert_array_equal(self.b, b)

    def test_a_matrix_by_columns_is_that_by_rows(self):
        for first, second in (("csc", "csr"), ("csr", "csc")):
            for lower in (True, False):
                f = espalier.CholeskyFactor(self.a.asformat(first), lower=lower).factorize(self.a.asformat(second))
                self.assertLess(backward_error(self.dense, f.solve(self.b), self.b), tolerance(self.a))


class Factors(unittest.TestCase):
    """Tests of the results of a factor."""

    def test_l_and_its_permutation(self):
        for order in (None, "default", "best", "amd", "metis", "nesdis", "scotch", "colamd", "postordered"):
            with self.subTest(order):
                a = laplace2d(9)
                f = espalier.cho_factor(a, lower=True, order=order)
                l, p = f.get_factor(), f.get_perm()
                self.assertEqual(sorted(p), list(range(81)))
                self.assertLess(abs(l @ l.T - a[p][:, p]).max(), 1e-13)
                self.assertEqual(sparse.triu(l, 1).nnz, 0)
                if order is None:
                    np.testing.assert_array_equal(p, np.arange(81))
                unit, d = f.get_factor("LDL")
                np.testing.assert_allclose(unit.diagonal(), 1, rtol=1e-15)
                self.assertLess(abs(unit @ d @ unit.T - a[p][:, p]).max(), 1e-13)
                self.assertEqual(abs(f.get_factor(lower=False) - l.T).nnz, 0)

    def test_systems_of_l(self):
        a, b = laplace2d(8), np.random.RandomState(5).standard_normal(64)
        f = espalier.cho_factor(a)
        l = f.L.toarray()
        for system, matrix in {"L": l, "LD": l, "Lt": l.T, "DLt": l.T, "LDLt": l @ l.T, "D": np.eye(64)}.items():
            self.assertLess(backward_error(matrix, f.solve(b, system), b), tolerance(a), system)

    def test_determinant_and_inverse(self):
        a = random_spd(40, seed=6)
        f = espalier.cho_factor(a)
        sign, expected = np.linalg.slogdet(a.toarray())
        self.assertEqual(f.slogdet()[0], sign)
        self.assertAlmostEqual(f.logdet() / expected, 1, places=13)
        self.assertAlmostEqual(f.det() / np.exp(expected), 1, places=11)
        self.assertLess(abs(f.inv().toarray() - np.linalg.inv(a.toarray())).max(), 1e-13)
        self.assertEqual(espalier.cho_factor(1e200 * sparse.identity(4)).det(), np.inf)
        self.assertEqual(espalier.cho_factor(1e-200 * sparse.identity(4)).det(), 0)

    def test_sizes(self):
        a = laplace2d(10)
        f = espalier.CholeskyFactor(a)
        self.assertEqual((f.N, f.rcond, f.is_numeric), (100, -1.0, False))
        self.assertIn("analyzed", repr(f))
        f.factorize(a)
        self.assertEqual(f.colcount.sum(), f.nnz)
        self.assertGreaterEqual(f.nnz, f.factor.nnz)
        self.assertTrue(0 < f.rcond <= 1)
        self.assertEqual((f.itype, f.perm.dtype, f.perm.flags.writeable), (np.int32, np.int32, False))
        for part in ("n=100", f"nnz(L)={f.nnz}", f"order={f.order!r}", "predicted memory", "factored"):
            self.assertIn(part, repr(f))

    def test_new_values(self):
        a, b = laplace2d(12), np.arange(144.0)
        f = espalier.CholeskyFactor(a)
        for scale in (1.0, 3.0):
            self.assertIs(f.factorize(scale * a, beta=0.5), f)
            shifted = scale * a + 0.5 * sparse.identity(144)
            self.assertLess(backward_error(shifted, f.solve(b), b), tolerance(a))
            self.assertLess(f.backward_error, tolerance(a))
        fewer = sparse.diags(np.arange(1.0, 145)).tocsc()
        self.assertLess(abs(f.factorize(fewer).solve(b) - b / np.arange(1.0, 145)).max(), 1e-14)
        with self.assertRaisesRegex(espalier.InputError, "has none"):
            f.factorize(random_spd(144, seed=7))

    def test_entries_at_other_places_are_not_those_analyzed(self):
        """The matrices have the same number of entries in each column of the triangle. They differ in rows, or in the other triangle."""
        a, b = 4 * np.eye(4), 4 * np.eye(4)
        a[1, 0] = a[0, 1] = b[2, 0] = b[0, 2] = 1
        upper_alone = np.triu(b) + np.tril(a, -1)
        for kind in (sparse.csc_matrix, sparse.csr_matrix):
            for index in (np.int32, np.int64):
                f = espalier.CholeskyFactor(kind(a), lower=True, check=False)
                for other, refused in ((b, True), (upper_alone, False), (2 * a, False)):
                    given = kind(other)
                    given.indices, given.indptr = given.indices.astype(index), given.indptr.astype(index)
                    if refused:
                        self.assertRaisesRegex(espalier.InputError, "has none", f.factorize, given)
                        continue
                    lower = np.tril(other)
                    expected = np.linalg.solve(lower + np.tril(other, -1).T, np.ones(4))
                    np.testing.assert_allclose(f.factorize(given).solve(np.ones(4)), expected, rtol=1e-14)

    def test_products(self):
        a = sparse.random(30, 50, density=0.2, random_state=np.random.RandomState(8), format="csc")
        for kind, product in {"row": a @ a.T, "col": a.T @ a}.items():
            b = np.ones(product.shape[0])
            x = espalier.cho_factor(a, beta=1.0, sym_kind=kind).solve(b)
            self.assertLess(backward_error(product + sparse.identity(len(b)), x, b), tolerance(a))

    def test_a_natural_order_is_kept(self):
        for a in (random_spd(60, seed=1), random_spd(150, seed=3), laplace2d(9)):
            n, l = a.shape[0], np.linalg.cholesky(a.toarray())
            b = np.linspace(1, 2, 2 * n).reshape(n, 2)
            for order in (None, "natural"):
                f = espalier.cho_factor(a, order=order)
                np.testing.assert_array_equal(f.perm, np.arange(n))
                np.testing.assert_allclose(f.L.toarray(), l, rtol=0, atol=1e-12)
                np.testing.assert_allclose(espalier.cholesky(a, order=None).toarray(), l.T, rtol=0, atol=1e-12)
                unit, d = f.get_factor("LDL", lower=True)
                np.testing.assert_allclose((unit @ d @ unit.T).toarray(), a.toarray(), rtol=0, atol=1e-12)
                self.assertTrue((unit.diagonal() == 1).all())
                self.assertTrue((f.colcount >= f.L.count_nonzero(axis=0)).all())
                np.testing.assert_allclose(l @ f.solve(b, "L"), b, rtol=0, atol=1e-12)
                np.testing.assert_allclose(l.T @ f.solve(b, "Lt"), b, rtol=0, atol=1e-12)
                self.assertLess(backward_error(a, f.solve(b), b), tolerance(a))
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(f)).perm, np.arange(n))

    def test_functions(self):
        a, b = laplace2d(7), np.ones(49)
        for lower in (True, False):
            factor, p = espalier.cholesky(a, lower=lower)
            product = factor @ factor.T if lower else factor.T @ factor
            self.assertLess(abs(product - a[p][:, p]).max(), 1e-13)
        r = espalier.cholesky(a, order=None)
        self.assertLess(abs(r.T @ r - a).max(), 1e-13)
        np.testing.assert_array_equal(espalier.spsolve(a, b), espalier.cho_solve(a, b))

    def test_options(self):
        a, b = laplace2d(20), np.ones(400)
        options = {"workers": 1, "sched": "lws", "granularity": "tile", "panel_width": 16, "refine": 0}
        f = espalier.cho_factor(a, ordering="amd", amalgamation_zeros=(0.0, 0.0, 0.0, 0.0), **options)
        self.assertLess(backward_error(a, f.solve(b), b), tolerance(a))
        report = f.report()
        self.assertEqual((report["ordering"]["method"], report["scheduler"]["active"]), ("amd", "lws"))

    def test_an_inaccurate_solution_is_warned_of(self):
        f = espalier.cho_factor(laplace2d(3))
        with self.assertWarnsRegex(espalier.AccuracyWarning, "backward error"):
            f.solve(np.full(9, 1e308))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            f.solve(np.zeros(9))
