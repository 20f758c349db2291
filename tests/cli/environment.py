#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No folder of somebody else's is written to."""
import os

from support.program import ProgramTest, environment, main

NO_FOLDER = "/dev/null/folder"  # can be made by nobody, root included
USER = 54321  # somebody without a process


class TemporaryFolder(ProgramTest):
    """Where the usual folder cannot be written to, StarPU's files go to one that everybody may make first."""

    def setUp(self):
        super().setUp()
        self.own = self.folder / f"espalier-{os.geteuid()}"
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()
        self.env = environment(HOME=NO_FOLDER, STARPU_HOME=NO_FOLDER, XDG_CACHE_HOME=NO_FOLDER,
                               STARPU_PERF_MODEL_DIR=None, TMPDIR=self.folder)

    def expect_refused(self, says):
        self.expect_failure(7, "solve", "laplace2d:3", says=[str(self.own), says, "STARPU_HOME"], env=self.env)
        self.assertEqual(list(self.elsewhere.iterdir()), [])

    def test_it_is_made_for_the_user_alone(self):
        self.expect_success("solve", "laplace2d:3", "--quiet", env=self.env)
        self.assertEqual(self.own.stat().st_mode & 0o7777, 0o700)
        self.assertNotEqual(list((self.own / "sampling" / "bus").iterdir()), [])
        self.expect_success("solve", "laplace2d:3", "--quiet", env=self.env)

    def test_a_link_is_not_followed(self):
        self.own.symlink_to(self.elsewhere)
        self.expect_refused("link")

    def test_a_link_to_nowhere_is_not_followed(self):
        self.own.symlink_to(self.elsewhere / "new")
        self.expect_refused("link")

    def test_a_file_is_no_folder(self):
        self.own.write_text("")
        self.expect_refused("file")

    def test_a_folder_that_others_may_write_to(self):
        self.own.mkdir()
        for mode in (0o777, 0o1777, 0o770):
            self.own.chmod(mode)
            self.expect_refused("other users")
        self.assertEqual(list(self.own.iterdir()), [])

    def test_a_folder_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("takes root")
        self.own.mkdir(mode=0o700)
        os.chown(self.own, USER, USER)
        self.expect_refused("another user")
        self.assertEqual(list(self.own.iterdir()), [])


if __name__ == "__main__":
    main()
