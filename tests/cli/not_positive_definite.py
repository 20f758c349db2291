#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The column reported for a matrix that is not positive definite, counted from 1 as in the file."""
from support.matrices import array, grid_entries, symmetric
from support.program import ProgramTest, main

M = 30  # large enough for StarPU tasks
N = M * M


class NotPositiveDefinite(ProgramTest):
    def orderings(self):
        """Yields name and options. One ordering is a permutation file that reverses the order."""
        backwards = self.write("backwards", "\n".join(str(k) for k in range(N, 0, -1)))
        for name in ("natural", "amd", "metis", "scotch", "auto", backwards):
            for granularity in ("auto", "panel", "block"):
                yield ["--ordering", name, "--granularity", granularity]

    def reported_column(self, entries, *options):
        return self.column_of(self.write("a.mtx", symmetric(N, entries)), *options)

    def column_of(self, matrix, *options):
        out = self.folder / "x.mtx"
        report = self.report_of("solve", matrix, "--out", out, *options, code=4)
        self.assertFalse(out.exists())
        self.assertEqual(report["status"], "not_positive_definite")
        column = report["not_positive_definite"]["column"]
        self.assertIn(f"column {column} (counted from 1, as in the file)", report["message"])
        return column

    def test_one_negative_diagonal_entry_is_found_under_every_ordering(self):
        # The rest of the matrix is positive definite, so no other column can fail first.
        for column in (1, N // 2, N):
            entries = {**grid_entries(M), (column, column): -1.0}
            for options in self.orderings():
                with self.subTest(column=column, options=options):
                    self.assertEqual(self.reported_column(entries, *options), column)

    def test_a_zero_on_the_diagonal(self):
        entries = {**grid_entries(M), (17, 17): 0.0}
        self.assertEqual(self.reported_column(entries), 17)

    def test_two_coupled_unknowns(self):
        # Only the coupled pair is indefinite: the unknown that is eliminated last fails.
        entries = {(k, k): 4.0 for k in range(1, N + 1)}
        entries[700, 31] = 5.0
        for options in self.orderings():
            with self.subTest(options=options):
                self.assertIn(self.reported_column(entries, *options), (31, 700))
        self.assertEqual(self.reported_column(entries, "--ordering", "natural"), 700)

    def test_the_first_zero_on_the_diagonal_of_generated_saddle_point_problems(self):
        # The first unknown of the zero block follows 180 velocities or 220 fluxes.
        for spec, column in (("stokes2d:10", 181), ("mixed2d:10", 221)):
            path = self.folder / "saddle.mtx"
            self.expect_success("generate", spec, path)
            for matrix in (spec, path):
                for granularity in ("auto", "panel", "tile", "block"):
                    with self.subTest(matrix=matrix, granularity=granularity):
                        self.assertEqual(self.column_of(matrix, "--granularity", granularity), column)

    def test_the_helmholtz_operator_is_indefinite_from_eight_points_per_axis_on(self):
        self.expect_accurate(self.report_of("solve", "helmholtz3d:7"))
        for size in (8, 20):
            self.assertIn(self.column_of(f"helmholtz3d:{size}"), range(1, size**3 + 1))

    def test_the_structure_of_an_indefinite_matrix_can_be_analyzed(self):
        for spec, rows in (("stokes2d:10", 279), ("mixed2d:10", 320), ("helmholtz3d:10", 1000)):
            self.assertEqual(self.report_of("analyze", spec)["matrix"]["n"], rows)

    def test_workers_and_repetitions_make_no_difference(self):
        entries = {**grid_entries(M), (N // 2, N // 2): -1.0}
        for workers in (1, 2, 3):
            column = self.reported_column(entries, "--workers", workers, "--repeat", 3, "--granularity", "tile")
            self.assertEqual(column, N // 2)

    def test_the_same_matrix_without_the_defect_is_solved(self):
        matrix = self.write("a.mtx", symmetric(N, grid_entries(M)))
        b = self.write("b.mtx", array([[1.0] * N]))
        self.expect_accurate(self.report_of("solve", matrix, "--rhs", b))


if __name__ == "__main__":
    main()
