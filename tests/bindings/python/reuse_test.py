# SPDX-License-Identifier: BSD-3-Clause
"""The separator tree of a factor, saved orderings, and the reuse of an ordering for a changed matrix."""
import pathlib
import tempfile
import unittest

import espalier
import numpy as np
from scipy import sparse


def grid(width):
    """Returns the Laplacian of a square grid."""
    path = sparse.diags([-np.ones(width - 1), 2.5 * np.ones(width), -np.ones(width - 1)], [-1, 0, 1])
    one = sparse.identity(width)
    return sparse.csc_matrix(sparse.kron(path, one) + sparse.kron(one, path))


def with_contact(a, i, j):
    """Returns the matrix with another edge."""
    n = a.shape[0]
    edge = sparse.coo_matrix(([1.0, 1.0, -1.0, -1.0], ([i, j, i, j], [i, j, j, i])), (n, n))
    return sparse.csc_matrix(a + edge)


class Reuse(unittest.TestCase):
    def factor(self, a, **options):
        return espalier.CholeskyFactor(a, order="dissection", **options)

    def expect_solution(self, factor, a):
        factor.factorize(a)
        b = a @ np.ones(a.shape[0])
        np.testing.assert_allclose(factor.solve(b), np.ones(a.shape[0]), rtol=1e-9)

    def test_the_tree_has_all_columns(self):
        tree = self.factor(grid(40)).separator_tree()
        self.assertEqual(sorted(tree.order), list(range(1600)))
        self.assertEqual(list(tree.first[1:]), list(tree.end[:-1]))
        self.assertEqual((tree.parent[-1], tree.first[0], tree.end[-1]), (-1, 0, 1600))
        self.assertGreater(len(tree.parent), 3)

    def test_a_saved_ordering_gives_the_same_order(self):
        a = grid(40)
        factor = self.factor(a)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "order.txt.gz"
            factor.save_ordering(file)
            again = espalier.CholeskyFactor(a, order=str(file))
            np.testing.assert_array_equal(again.perm, factor.perm)
            with self.assertRaises(espalier.InputError):
                factor.save_ordering(pathlib.Path(folder) / "none" / "order.txt")

    def test_a_changed_matrix_reuses_the_order(self):
        a = grid(60)
        first = self.factor(a)
        np.testing.assert_array_equal(self.factor(a, previous=first).perm, first.perm)
        other = with_contact(a, 1800, 1922)
        second = self.factor(other, previous=first)
        self.assertNotEqual(list(second.separator_tree().order), list(self.factor(other).separator_tree().order))
        self.expect_solution(second, other)

    def test_columns_may_be_removed_and_added(self):
        a = grid(60)
        kept = np.delete(np.arange(3600), [7, 1830])
        smaller = sparse.csc_matrix(a[kept][:, kept])
        first = self.factor(a)
        second = self.factor(smaller, previous=first, previous_column=kept)
        self.expect_solution(second, smaller)
        back = np.full(3600, -1)
        back[kept] = np.arange(3598)
        third = self.factor(a, previous=second, previous_column=back)
        self.expect_solution(third, a)

    def test_wrong_arguments_are_refused(self):
        a = grid(5)
        factor = self.factor(a)
        for options in ({"previous_column": np.arange(25)}, {"previous": factor, "previous_column": np.arange(24)},
                        {"previous": factor, "previous_column": np.zeros(25, int)}):
            with self.subTest(options), self.assertRaises(espalier.UsageError):
                self.factor(a, **options)
        with self.assertRaises(espalier.UsageError):
            self.factor(grid(6), previous=factor)


if __name__ == "__main__":
    unittest.main()
