#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides as input and solutions as output, compared with known solutions."""
import ast
import contextlib
import gzip
import struct
import subprocess

from support.matrices import array, grid_entries, numpy_file, product, read_array, symmetric
from support.program import DATA, PROGRAM, ProgramTest, environment, main

M = 25
N = M * M


def numpy_numbers(content, shape, by_columns):
    """Returns the numbers of such a file. Expects this shape and order."""
    assert content[:8] == b"\x93NUMPY\x01\0" and content.index(b"\n") % 64 == 63, content[:80]
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    assert ast.literal_eval(content[10:begin].decode()) == {"descr": "<f8", "fortran_order": by_columns, "shape": shape}
    return list(struct.unpack(f"<{(len(content) - begin) // 8}d", content[begin:]))


class Solutions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "x.mtx"
        self.entries = grid_entries(M)
        self.matrix = self.write("a.mtx", symmetric(N, self.entries))

    def solution(self, *arguments):
        self.expect_success(*arguments, "--out", self.out)
        return read_array(self.out.read_text())

    def expect_close(self, x, expected, tolerance=1e-11):
        self.assertEqual(len(x), len(expected))
        for k, (value, wanted) in enumerate(zip(x, expected)):
            self.assertAlmostEqual(value, wanted, delta=tolerance * max(1, abs(wanted)), msg=f"entry {k}")

    def test_one_right_hand_side(self):
        known = [((7 * i) % 11) - 5.0 for i in range(N)]
        b = self.write("b.mtx", array([product(N, self.entries, known)]))
        for ordering in ("auto", "natural", "amd", "dissection", "metis", "scotch"):
            x = self.solution("solve", self.matrix, "--rhs", b, "--ordering", ordering)
            self.assertEqual(len(x), 1)
            self.expect_close(x[0], known)

    def test_many_right_hand_sides_in_a_compressed_file(self):
        # More vectors than one pass over the factor solves for.
        known = [[1.0 + (i * (k + 3)) % 17 for i in range(N)] for k in range(70)]
        text = array([product(N, self.entries, x) for x in known])
        b = self.write("b.mtx.gz", gzip.compress(text.encode()))
        for granularity in ("panel", "block"):
            columns = self.solution("solve", self.matrix, "--rhs", b, "--granularity", granularity)
            self.assertEqual(len(columns), len(known))
            for x, wanted in zip(columns, known):
                self.expect_close(x, wanted)

    def test_dense_kernels_of_any_source(self):
        for kernels in ("auto", "own", "blas", "mixed"):
            for panels in ((64, 512), (128, 64)):
                report = self.report_of("solve", "laplace3d:14", "--kernels", kernels, "--trsm-panel", panels[0], "--potrf-panel",
                                        panels[1])
                self.expect_accurate(report)
                self.assertEqual(report["factor"]["kernels"], kernels)
        self.expect_failure(2, "solve", "laplace3d:5", "--kernels", "nosuch", says="nosuch")
        self.expect_failure(2, "solve", "laplace3d:5", "--kernels", "own", "--trsm-panel", 100, says="100")

    def test_right_hand_sides_of_our_own(self):
        columns = self.solution("solve", self.matrix, "--nrhs", 3)
        self.assertEqual(len(columns), 3)
        for k, x in enumerate(columns, 1):
            self.expect_close(x, [float(k)] * N)

    def test_the_zero_vector(self):
        b = self.write("b.mtx", array([[0.0] * N]))
        self.assertEqual(self.solution("solve", self.matrix, "--rhs", b), [[0.0] * N])

    def test_refinement_is_not_asked_for_and_accepted(self):
        for steps in (0, 1, 5):
            report = self.report_of("solve", "elasticity3d:4", "--refine", steps)
            self.expect_accurate(report)
            self.assertLessEqual(report["solve"]["refinement_steps"], steps)

    def test_every_granularity(self):
        for matrix in ("laplace3d:10", "elasticity3d:5x3x3", "irregular2d:900", "stencil27:6"):
            for granularity in ("auto", "panel", "tile", "block"):
                with self.subTest(matrix=matrix, granularity=granularity):
                    report = self.report_of("solve", matrix, "--granularity", granularity, "--nrhs", 2)
                    self.expect_accurate(report)
                    if granularity != "auto":
                        self.assertEqual(report["factor"]["granularity"], granularity)

    def test_tiny_matrices(self):
        for size in (1, 2, 3):
            for granularity in ("auto", "panel", "tile", "block"):
                report = self.report_of("solve", f"laplace2d:{size}", "--granularity", granularity)
                self.expect_accurate(report)
                self.assertEqual(report["matrix"]["n"], size * size)

    def test_the_same_file_in_every_format(self):
        self.expect_success("solve", DATA / "five.mtx", "--out", self.out)
        expected = read_array(self.out.read_text())[0]
        for name in ("five.mtx.gz", "five_upper.mtx", "five_general.mtx", "five.rsa", "five.rua", "five.rb"):
            self.expect_close(self.solution("solve", DATA / name)[0], expected, 1e-14)

    def test_an_old_file_is_replaced(self):
        self.out.write_text("old\n" * 100000)
        self.expect_close(self.solution("solve", self.matrix)[0], [1.0] * N)
        self.assertEqual(self.files(), ["a.mtx", "x.mtx"])

    def test_a_link_stays_a_link(self):
        target = self.write("target", "old")
        self.out.symlink_to(target)
        self.expect_close(self.solution("solve", self.matrix)[0], [1.0] * N)
        self.assertTrue(self.out.is_symlink())
        self.assertNotEqual(target.read_text(), "old")

    def test_a_compressed_solution(self):
        packed = self.folder / "x.mtx.gz"
        self.expect_success("solve", self.matrix, "--out", packed)
        self.expect_close(read_array(gzip.decompress(packed.read_bytes()).decode())[0], [1.0] * N)

    def test_arrays_of_numpy(self):
        """Arrays have the order of C or of Fortran, and one vector or several, as input and as output. NumPy reads the outputs if it
        is installed."""
        known = [[1.0 + (i * (k + 3)) % 17 for i in range(N)] for k in range(3)]
        columns = [product(N, self.entries, x) for x in known]
        packed = self.folder / "x.npy"
        for shape, order, numbers, wanted in (
                ((N,), False, columns[0], known[:1]), ((N, 1), False, columns[0], known[:1]),
                ((N, 3), False, [column[i] for i in range(N) for column in columns], known),
                ((N, 3), True, [value for column in columns for value in column], known)):
            with self.subTest(shape=shape, order=order):
                b = self.write("b.npy", numpy_file(shape, order, numbers))
                for x, expected in zip(self.solution("solve", self.matrix, "--rhs", b), wanted, strict=True):
                    self.expect_close(x, expected)
                self.expect_success("solve", self.matrix, "--rhs", b, "--out", packed)
                many = len(wanted) > 1
                found = numpy_numbers(packed.read_bytes(), (N, 3) if many else (N,), many)
                self.expect_close(found, [value for x in wanted for value in x])
        with contextlib.suppress(ImportError):
            import numpy
            there = numpy.load(packed)
            self.assertEqual((there.shape, there.dtype.str), ((N, 3), "<f8"))
            self.expect_close(there[:, 2].tolist(), known[2])
            numpy.save(self.folder / "c.npy", there)
            self.expect_success("solve", self.matrix, "--rhs", self.folder / "c.npy")
            for kind in ("<f4", ">f8", "<i4", ">i8", "|u1"):
                numpy.save(self.folder / "b.npy", numpy.asarray(columns[0]).astype(kind))
                self.expect_success("solve", self.matrix, "--rhs", self.folder / "b.npy")
            numpy.save(self.folder / "c8.npy", there.astype(numpy.complex64))
            self.expect_failure(3, "solve", self.matrix, "--rhs", self.folder / "c8.npy", says=["'<c8'", "float64"])
        self.expect_failure(3, "solve", "laplace2d:3", "--rhs", packed, says=["x.npy", f"{N} rows", "the matrix has 9"])

    def test_plain_text(self):
        """Plain text has one number per line, or one row of several vectors per line. The file may have any name."""
        known = [[1.0 + (i * (k + 3)) % 17 for i in range(N)] for k in range(3)]
        columns = [product(N, self.entries, x) for x in known]
        text = "# b\n" + "".join(f"{value!r}\n" for value in columns[0])
        for name, content in (("b", text), ("b.txt", "\ufeff" + text.replace("\n", "\r\n")), ("b.dat", gzip.compress(text.encode()))):
            with self.subTest(name=name):
                self.expect_close(self.solution("solve", self.matrix, "--rhs", self.write(name, content))[0], known[0])
        rows = self.write("rows.txt", "".join(" ".join(map(repr, row)) + "\n" for row in zip(*columns, strict=True)))
        for x, expected in zip(self.solution("solve", self.matrix, "--rhs", rows), known, strict=True):
            self.expect_close(x, expected)
        short = self.write("short.txt", text.rsplit("\n", 2)[0] + "\n")
        self.expect_failure(3, "solve", self.matrix, "--rhs", short, says=["short.txt, line", f"{N - 1} of {N} rows"])

    def test_sparse_right_hand_sides(self):
        """The solutions are two columns of the inverse and a zero vector. The entries of the right-hand sides come in any order, and
        duplicates are summed."""
        b = self.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                f"{N} 3 4\n{N} 3 0.25\n1 1 1\n{N} 3 0.5\n{N} 3 0.25\n")
        first, none, last = self.solution("solve", self.matrix, "--rhs", b)
        self.assertEqual(none, [0.0] * N)
        for x, unit in ((first, 0), (last, N - 1)):
            self.expect_close(product(N, self.entries, x), [float(i == unit) for i in range(N)])
        packed = self.write("b.mtx.gz", gzip.compress(b.read_bytes()))
        self.assertEqual(self.solution("solve", self.matrix, "--rhs", packed), [first, none, last])

    def test_right_hand_sides_of_several_files(self):
        """The right-hand sides come from files of all formats, in the given order. Together they have more columns than a
        block."""
        known = [[1.0 + (i * (k + 3)) % 17 for i in range(N)] for k in range(70)]
        columns = [product(N, self.entries, x) for x in known]
        entries = [f"{i} {k} {value}" for k, column in enumerate(columns[67:], 1) for i, value in enumerate(column, 1) if value]
        files = [self.write("b.mtx", array(columns[:66])), self.write("c.npy", numpy_file((N,), False, columns[66])),
                 self.write("d.mtx", "\n".join(["%%MatrixMarket matrix coordinate real general", f"{N} 3 {len(entries)}",
                                                *entries]))]
        options = [word for file in files for word in ("--rhs", file)]
        for x, wanted in zip(self.solution("solve", self.matrix, *options), known, strict=True):
            self.expect_close(x, wanted)
        self.assertEqual(self.report_of("solve", self.matrix, *options)["solve"]["nrhs"], 70)
        self.expect_failure(3, "solve", self.matrix, *options, "--rhs", self.folder / "none.mtx", says="none.mtx")
        self.expect_failure(2, "solve", self.matrix, *options, "--out", files[2], says="d.mtx")

    def test_files_of_solutions_are_named_for_their_format(self):
        matrix = self.folder / "none.mtx"  # file names are checked before the work
        for name in ("x", "x.txt", "x.npz", "x.npy.gz"):
            self.expect_failure(2, "solve", matrix, "--out", self.folder / name, says=["--out", ".mtx, .mtx.gz or .npy"])

    def test_into_a_pipe(self):
        done = subprocess.run([PROGRAM, "solve", "laplace2d:20", "--quiet", "--out", "/dev/stdout"],
                              stdout=subprocess.PIPE, timeout=60, env=environment(), check=True)
        self.expect_close(read_array(done.stdout.decode())[0], [1.0] * 400)

    def test_generated_files_are_what_the_spec_names(self):
        for spec in ("laplace2d:17", "laplace3d:7", "stencil27:5", "elasticity3d:4x3x2", "irregular2d:500"):
            for suffix in (".mtx", ".mtx.gz"):
                with self.subTest(spec=spec, suffix=suffix):
                    path = self.folder / ("g" + suffix)
                    self.assertIn(spec, self.expect_success("generate", spec, path).out)
                    by_file, by_spec = (self.report_of("solve", matrix) for matrix in (path, spec))
                    self.expect_accurate(by_file)
                    for name in ("n", "nnz_lower"):
                        self.assertEqual(by_file["matrix"][name], by_spec["matrix"][name])
                    self.assertEqual(by_file["symbolic"]["nnz_l"], by_spec["symbolic"]["nnz_l"])

    def test_another_format_becomes_matrix_market(self):
        original, converted = DATA / "five.rb", self.folder / "five.mtx"
        self.expect_success("generate", original, converted)
        self.assertTrue(converted.read_text().startswith("%%MatrixMarket matrix coordinate real symmetric"))
        by_file, by_conversion = (self.report_of("solve", matrix) for matrix in (original, converted))
        for name in ("n", "nnz_lower"):
            self.assertEqual(by_file["matrix"][name], by_conversion["matrix"][name])
        self.expect_failure(2, "generate", converted, converted, says="FILE")


if __name__ == "__main__":
    main()
