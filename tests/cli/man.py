#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages contain the text of --help."""
import re
import shutil
import subprocess
import unittest

from support.program import ProgramTest, environment, espalier, main

NAME = r"--[a-z][a-z-]*"


def subcommands():
    """Returns the names in the list of --help."""
    listed = espalier("--help").out.partition("Subcommands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def typeset(page):
    """Returns the page as a terminal of 100 columns shows it, and the complaints of the typesetter."""
    run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-"], input=page, capture_output=True, text=True,
                         check=True, env=environment(MANWIDTH=100, LC_ALL="C.UTF-8", MANOPT=None, MANPAGER="cat"))
    return re.sub(".\b", "", run.stdout), run.stderr


class Man(ProgramTest):
    def test_each_page_has_all_options_with_their_values_and_defaults(self):
        for arguments in [[], *([name] for name in subcommands())]:
            text = self.expect_success(*arguments, "--help").out
            page = self.expect_success("man", *arguments).out.replace("\\-", "-")
            entries = re.findall(rf"^  (?:-\w, )?({NAME})(?: (\S+))?(.*(?:\n {{28}}.*)*)", text.partition("Options:")[2], re.M)
            self.assertGreater(len(entries), 0)
            for name, symbol, explanation in entries:
                default = re.search(r"\[default:\s+([^]]+)\]", explanation)
                with self.subTest(page=arguments, option=name):
                    entry = page.partition(f"\\fB{name}\\fR")[2].partition(".TP\n")[0].partition(".SH")[0]
                    self.assertNotEqual(entry, "")
                    if symbol:
                        self.assertTrue(entry.startswith(f" \\fI{symbol}\\fR"), entry)
                    if default:
                        self.assertIn(f"\nDefault: {default[1]}.\n", entry)

    def test_the_page_of_the_program_leads_to_the_others(self):
        page = self.expect_success("man").out
        names = subcommands()
        self.assertIn("man", names)
        for name in names:
            self.assertIn(f"\\fBespalier\\-{name}\\fR(1)", page)
            self.assertIn(f"\n.SH NAME\nespalier\\-{name} \\- ", self.expect_success("man", name).out)

    def test_all_pages_are_written_at_once(self):
        folder = self.folder / "share" / "man1"
        self.expect_success("man", "--out", folder)
        pages = {"espalier.1": [], **{f"espalier-{name}.1": [name] for name in subcommands()}}
        self.assertEqual(sorted(path.name for path in folder.iterdir()), sorted(pages))
        for name, arguments in pages.items():
            self.assertEqual((folder / name).read_text(), self.expect_success("man", *arguments).out)

    def test_a_page_of_nothing_is_refused(self):
        self.expect_failure(2, "man", "frobnicate", says=["frobnicate", "espalier --help"])
        self.expect_failure(2, "man", "solve", "--out", self.folder / "man1", says="--out")

    @unittest.skipUnless(shutil.which("man"), "man is not installed; tools/setup.sh --shells does that")
    def test_man_shows_what_was_meant(self):
        for name in subcommands():
            shown, complaints = typeset(self.expect_success("man", name).out)
            self.assertEqual(complaints, "", name)
            footer = self.expect_success(name, "--help").out.partition("Examples:\n")[2]
            for example in re.findall(r"^  (.*)$", footer, re.M):
                self.assertIn(example, shown)
        shown, _ = typeset(self.expect_success("man", "solve").out)
        self.assertRegex(shown, r"\n {7}--rhs FILE \.\.\.\n {14}file with right-hand sides: Matrix Market (.+\n {14})+Not with --nrhs\.\n")
        self.assertRegex(shown, r"\nEXIT STATUS\n {7}0 {6}success\n\n {7}1 ")


if __name__ == "__main__":
    main()
