# SPDX-License-Identifier: BSD-3-Clause
"""Errors of three ranks, or of one of them: all end within seconds, with one message and the right exit code."""
from support.matrices import array, coordinate
from support.program import ProgramTest, is_sanitized, main, skip
from support.rank_run import Run
from support.ranks import MPIRUN


def limited(rank, kilobytes):
    """Returns a command that runs its arguments, with little address space on one rank."""
    return ["sh", "-c", f'[ "$OMPI_COMM_WORLD_RANK" = {rank} ] && ulimit -v {kilobytes}; exec "$@"', "sh"]


class RanksFaults(ProgramTest):
    def expect_failure(self, code, says, *arguments, **options):
        before = self.files()  # the matrix, if any
        ended, out, said, err = Run(self, *arguments, **options).expect_end()
        self.assertEqual((ended, out), (code, ""), err)
        self.assertEqual(len(said), 1, err)
        self.assertIn(says, said[0])
        self.assertEqual(self.files(), before)
        return said[0]

    def arrow(self, bad):
        """Writes a matrix of forty chains that meet in a clique, which ranks share. The diagonal entry `bad` is negative."""
        chains, length, clique = 40, 30, 40
        n = chains * length + clique
        entries = [(i, i, 400) for i in range(1, n + 1) if i != bad] + [(bad, bad, -400)]
        for c in range(chains):
            first = c * length + 1
            entries += [(i + 1, i, -1) for i in range(first, first + length - 1)]
            entries.append((chains * length + c + 1, first + length - 1, -1))
        last = range(chains * length + 1, n + 1)
        entries += [(i, j, -1) for i in last for j in last if i > j]
        return self.write("a.mtx", coordinate(n, entries))

    def test_not_positive_definite(self):
        # Columns in the domain of each rank, and in a panel that ranks share.
        for bad, mapping in ((5, "proportional"), (615, "block-cyclic"), (1195, "proportional"),
                             (1240, "proportional"), (1205, "block-cyclic")):
            with self.subTest(bad=bad, mapping=mapping):
                self.expect_failure(4, f"column {bad} ", self.arrow(bad), "--mapping", mapping)

    def test_bad_input(self):
        self.expect_failure(3, "none.mtx", self.folder / "none.mtx", "--out", self.folder / "x.mtx")
        self.expect_failure(3, "line 3", self.write("bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                                    "2 2 2\n1 x 1\n2 2 1\n"))
        self.expect_failure(3, "short.mtx", "laplace2d:3", "--rhs", self.write("short.mtx", array([[1, 2]])))
        self.expect_failure(3, "no/x.mtx", "laplace2d:3", "--out", self.folder / "no" / "x.mtx")
        self.expect_failure(3, "no/r.json", "laplace2d:3", "--report", self.folder / "no" / "r.json")

    def test_wrong_usage(self):
        self.expect_failure(2, "frobnicate", "laplace2d:9", "--frobnicate")
        self.expect_failure(2, "grid", "laplace2d:9", "--mapping", "block-cyclic", "--grid", "2x2")
        self.expect_failure(2, "crumb", "laplace2d:9", "--ordering", "crumb")
        self.expect_failure(6, "no-such-policy", "laplace2d:9", "--sched", "no-such-policy")

    def test_memory(self):
        self.expect_failure(5, "memory limit", "laplace2d:30", "--memory-limit", "1000")

    def test_one_rank_lacks_memory(self):
        if is_sanitized():
            self.skipTest("the address sanitizer wants terabytes")
        said = self.expect_failure(5, "ulimit -v", "laplace2d:9", wrapper=limited(1, 400 << 10))
        self.assertIn("on rank 1", said)

    def test_one_rank_knows_no_such_policy(self):
        wrapper = ["sh", "-c", '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && export STARPU_SCHED=no-such-policy; exec "$@"', "sh"]
        self.expect_failure(6, "no-such-policy", "laplace2d:9", wrapper=wrapper)


if __name__ == "__main__":
    if MPIRUN is None:
        skip("there is no mpirun")
    main()
