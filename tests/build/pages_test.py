# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Markdown pages: links lead to existing files and headings, and the README and the change log keep to their limits."""
import os
import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def pages():
    """All Markdown files of the repository, without those below build."""
    found = []
    for folder, folders, files in os.walk(REPOSITORY):
        folders[:] = [name for name in folders if name != "build" and not (name.startswith(".") and name != ".github")]
        found += [pathlib.Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(found)


def without_code(page):
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`|^    .*$", "", page, flags=re.M | re.S)


def anchors_of(page):
    """The anchors that the headings of a page make."""
    headings = re.findall(r"^#+ (.*)$", page, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_lead_to_files_and_headings(self):
        self.assertGreater(len(pages()), 20)
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = page if not path else page.parent / path
                with self.subTest(page=str(page.relative_to(REPOSITORY)), link=target):
                    self.assertTrue(file.exists())
                    if anchor and file.suffix == ".md":
                        self.assertIn(anchor, anchors_of(file.read_text(encoding="utf-8")))


class Readme(unittest.TestCase):
    def test_fits_on_two_screens_and_begins_with_the_purpose(self):
        lines = text("README.md").splitlines()
        self.assertLessEqual(len(lines), 100)
        purpose = "\n".join(lines[2:6])
        for word in ("BSD", "sparse symmetric", "positive definite or indefinite", "C++ library", "Python"):
            self.assertIn(word, purpose)

    def test_names_files_that_exist(self):
        for script in set(re.findall(r"\btools/[\w/]+\.sh\b", text("README.md"))):
            self.assertTrue((REPOSITORY / script).is_file(), script)

    def test_has_the_test_command_of_continuous_integration(self):
        (command,) = re.findall(r"^exec (\S+)", text(".ci/run"), re.M)
        self.assertIn(f"\n    {command} ", text("README.md"))


class ChangeLog(unittest.TestCase):
    def test_begins_with_the_version_of_the_project_and_its_date(self):
        (version,) = re.findall(r"^project\(espalier VERSION ([0-9.]+)", text("CMakeLists.txt"), re.M)
        headings = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.M)
        self.assertRegex(headings[0], rf"\A{re.escape(version)} - \d{{4}}-\d\d-\d\d\Z")

    def test_has_at_most_50_lines_a_version(self):
        for section in re.split(r"^## ", text("CHANGELOG.md"), flags=re.M)[1:]:
            self.assertLessEqual(section.count("\n"), 50, section.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
