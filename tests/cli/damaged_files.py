#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files without a matrix or with a part of one: exit code 3, one line with file, line number and reason, no output."""
import gzip

from support.matrices import array, coordinate
from support.program import ProgramTest, main

BANNER = "%%MatrixMarket matrix coordinate real symmetric\n"
GOOD = coordinate(3, [(1, 1, 4), (2, 1, -1), (2, 2, 4), (3, 3, 4)])
PACKED = gzip.compress(coordinate(2000, [(i, i, 1 + i / 7) for i in range(1, 2001)]).encode())

# Defect: (name, content, line that the message names or None, a word of the reason).
DAMAGED = {
    "nothing at all": ("a.mtx", "", None, "empty"),
    "zero bytes": ("a.mtx", b"\0" * 300, 1, "MatrixMarket"),
    "no banner": ("a.mtx", "3 3 1\n1 1 1\n", 1, "MatrixMarket"),
    "half a banner": ("a.mtx", "%%MatrixMarket matrix coord", 1, "MatrixMarket"),
    "no sizes": ("a.mtx", BANNER + "% comment\n", 2, "sizes"),
    "two sizes": ("a.mtx", BANNER + "3 3\n1 1 1\n", 2, "rows, columns and entries"),
    "a negative size": ("a.mtx", BANNER + "-3 -3 1\n1 1 1\n", 2, "-3 rows"),
    "fewer than no rows": ("a.mtx", BANNER + "-1 -1 0\n", 2, "-1 rows"),
    "a negative count": ("a.mtx", BANNER + "3 3 -1\n", 2, "-1 entries"),
    "sizes beyond all memory": ("a.mtx", BANNER + "2000000000 2000000000 900000000000\n1 1 1\n", 2, "900000000000"),
    "sizes beyond 64 bits": ("a.mtx", BANNER + "3 3 99999999999999999999\n", 2, "damaged"),
    "more rows than indices": ("a.mtx", BANNER + "3000000000 3000000000 1\n1 1 1\n", 2, "3000000000"),
    "a rectangle": ("a.mtx", BANNER + "3 4 1\n1 1 1\n", 2, "square"),
    "fewer entries than announced": ("a.mtx", GOOD.rsplit("\n", 2)[0] + "\n", 5, "3 of 4"),
    "more entries than announced": ("a.mtx", GOOD + "3 1 1\n", 7, "4 entries"),
    "a row out of range": ("a.mtx", GOOD.replace("2 2 4\n3 3 4", "2 2 4\n4 3 4"), 6, "row 4"),
    "a column 0": ("a.mtx", GOOD.replace("2 1 -1", "2 0 -1"), 4, "column 0"),
    "a value that is not a number": ("a.mtx", GOOD.replace("2 1 -1", "2 1 nan"), 4, "finite"),
    "an infinite value": ("a.mtx", GOOD.replace("2 1 -1", "2 1 inf"), 4, "finite"),
    "a value that overflows": ("a.mtx", GOOD.replace("2 1 -1", "2 1 1e999"), 4, "finite"),
    "letters": ("a.mtx", GOOD.replace("2 1 -1", "2 one -1"), 4, "2 one -1"),
    "a value too much": ("a.mtx", GOOD.replace("2 1 -1", "2 1 -1 0"), 4, "2 1 -1 0"),
    "no diagonal": ("a.mtx", GOOD.replace("2 2 4\n", "3 2 4\n"), None, "(2, 2) on the diagonal is missing, so"),
    "one entry without its mirror": ("a.mtx", GOOD.replace("symmetric", "general"), 4, "(2, 1)"),
    "mirrors that differ": ("a.mtx", coordinate(2, [(1, 1, 4), (2, 1, 1), (1, 2, 2), (2, 2, 4)], "general"), 4, "2"),
    "complex values": ("a.mtx", GOOD.replace("real", "complex"), 1, "complex"),
    "a skew-symmetric matrix": ("a.mtx", GOOD.replace("symmetric", "skew-symmetric"), 1, "skew-symmetric"),
    "vectors": ("a.mtx", array([[1.0, 2.0]]), 1, "array"),
    "a pattern": ("a.mtx", GOOD.replace("real", "pattern"), 1, "pattern"),
    "a truncated gzip file": ("a.mtx.gz", PACKED[: len(PACKED) // 2], 0, "gzip data (unexpected end of file)"),
    "a gzip file with a flipped byte": ("a.mtx.gz", PACKED[:999] + bytes([PACKED[999] ^ 255]) + PACKED[1000:], 0, ""),
    "an unknown format": ("a.xyz", "hello\n", None, "the format of the file is unknown"),
    "a Harwell-Boeing file of nothing": ("a.rsa", "title\n", 1, ""),
    "a Harwell-Boeing file of letters": ("a.rb", "title key\n" * 9, 2, ""),
}

DAMAGED_VECTORS = {
    "too short": (array([[1.0, 2.0]]), 2, "2 rows"),
    "too long": (array([[1.0] * 4]), 2, "4 rows"),
    "truncated": (array([[1.0, 2.0, 3.0]]).rsplit("\n", 2)[0] + "\n", 4, "2 of 3"),
    "too many values": (array([[1.0, 2.0, 3.0]]) + "4.0\n", 6, "3 values"),
    "no number": (array([[1.0, 2.0, 3.0]]).replace("2.0", "two"), 4, "two"),
    "not finite": (array([[1.0, 2.0, float("nan")]]), 5, "finite"),
    "no vectors": ("%%MatrixMarket matrix array real general\n3 0\n", 2, "0"),
    "too many vectors": ("%%MatrixMarket matrix array real general\n3 2000000000\n1\n", 2, "2000000000"),
    "a matrix": (GOOD, 1, "coordinate"),
    "sparse and out of range": ("%%MatrixMarket matrix coordinate real general\n3 2 1\n4 1 1\n", 3, "row 4"),
    "sparse and truncated": ("%%MatrixMarket matrix coordinate real general\n3 2 2\n3 1 1\n", 3, "1 of 2"),
    "sparse and too long": ("%%MatrixMarket matrix coordinate real general\n4 2 0\n", 2, "4 rows"),
    "complex": (array([[1.0, 2.0, 3.0]]).replace("real", "complex"), 1, "complex"),
}


TREE = "%%EspalierOrdering\n2\n0\n1\nparts 3\n2 0 1\n2 1 3\n-1 3 3\n"

DAMAGED_TREES = {
    "truncated in the columns": (TREE.split("1\nparts")[0], 3, "2 of 3 vertices"),
    "truncated before the parts": (TREE.split("parts")[0], 4, "'parts'"),
    "truncated in the parts": (TREE.rsplit("\n", 2)[0] + "\n", 7, "part 2"),
    "no number of parts": (TREE.replace("parts 3", "parts"), 5, "'parts'"),
    "a part without its end": (TREE.replace("2 0 1", "2 0"), 6, "'2 0'"),
    "overlapping parts": (TREE.replace("2 1 3", "2 0 3"), 7, "part 1: it begins at position 0 instead of 1"),
    "a parent before its child": (TREE.replace("2 1 3", "0 1 3"), 7, "part 1: its parent is 0"),
    "too many positions": (TREE.replace("-1 3 3", "-1 3 4"), 8, "part 2: it ends at position 4"),
    "more after the end": (TREE + "7\n", 9, "'7'"),
}

class DamagedFiles(ProgramTest):
    def expect_refusal(self, path, line, reason, *arguments):
        # 0 means any line: the line at which a compressed stream breaks depends on the reader's buffers.
        place = str(path) if not line else f"{path}, line {line}: "
        self.expect_failure(3, *arguments, "--out", self.folder / "x.mtx", says=[place, reason])

    def test_the_undamaged_files_are_read(self):
        self.expect_success("solve", self.write("a.mtx", GOOD))
        self.expect_success("solve", self.write("a.mtx.gz", PACKED))

    def test_matrices(self):
        for what, (name, content, line, reason) in DAMAGED.items():
            with self.subTest(what):
                path = self.write(name, content)
                self.expect_refusal(path, line, reason, "solve", path)
                if what not in ("a pattern", "no diagonal"):
                    self.expect_failure(3, "analyze", path, says=str(path))
                path.unlink()

    def test_right_hand_sides(self):
        matrix = self.write("a.mtx", GOOD)
        self.expect_failure(3, "solve", matrix, "--rhs", self.folder / "none.mtx", says="none")
        for what, (content, line, reason) in DAMAGED_VECTORS.items():
            with self.subTest(what):
                b = self.write("b.mtx", content)
                self.expect_refusal(b, line, reason, "solve", matrix, "--rhs", b)

    def test_permutations(self):
        matrix = self.write("a.mtx", GOOD)
        self.expect_success("solve", matrix, "--ordering", self.write("p", "3\n1\n2\n"))
        for text, line, reason in (("1\n2\n", 2, "2 of 3"), ("1\n2\n2\n", 3, "second time"), ("1\n2\n4\n", 3, "4"),
                                   ("0 1 2 0", 1, "3"), ("a b c", 1, "a")):
            with self.subTest(text):
                order = self.write("p", text)
                self.expect_refusal(order, line, reason, "solve", matrix, "--ordering", order)

    def test_separator_trees(self):
        matrix = self.write("a.mtx", GOOD)
        self.expect_success("solve", matrix, "--ordering", self.write("p", TREE))
        for what, (content, line, reason) in DAMAGED_TREES.items():
            with self.subTest(what):
                order = self.write("p", content)
                self.expect_refusal(order, line, reason, "solve", matrix, "--ordering", order)
        separated = self.write("p", TREE.replace("2\n0\n1\n", "0\n2\n1\n"))
        self.expect_refusal(separated, None, "the parts do not separate this matrix", "solve", matrix, "--ordering", separated)


if __name__ == "__main__":
    main()
