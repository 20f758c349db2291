# SPDX-License-Identifier: BSD-3-Clause
"""The patches of tools/starpu are mails for upstream: a title, the problem, its cause, the fix, and the test that shows it."""
import email
import pathlib
import re
import subprocess
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PATCHES = sorted((REPOSITORY / "tools" / "starpu").glob("*.patch"))
PARTS = ["Problem", "Cause", "Fix", "Test"]


def parts_of(message):
    """Returns the paragraphs of a commit message by their first word."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in message.strip().split("\n\n"))
    return dict(paragraph.split(": ", 1) for paragraph in paragraphs)


class Patches(unittest.TestCase):
    def for_each_mail(self, check):
        self.assertGreater(len(PATCHES), 5)
        for path in PATCHES:
            with self.subTest(patch=path.name):
                check(path, email.message_from_string(path.read_text(encoding="utf-8")))

    def test_are_mails_that_git_can_apply(self):
        def check(path, mail):
            self.assertRegex(path.read_text(encoding="utf-8"), r"\AFrom 0{40} ")
            self.assertTrue(mail["From"] and mail["Date"])
            self.assertRegex(mail["Subject"], r"^\[PATCH\] [a-z_/]+: [a-z]")
            self.assertLessEqual(len(mail["Subject"]), 8 + 76)
            counted = subprocess.run(["git", "apply", "--numstat", path], capture_output=True, text=True, check=False)
            self.assertEqual(counted.returncode, 0, counted.stderr)
            self.assertGreater(len(counted.stdout.splitlines()), 0)
        self.for_each_mail(check)

    def test_explain_themselves(self):
        def check(_, mail):
            message, _, rest = mail.get_payload().partition("\n---\n")
            self.assertEqual(list(parts_of(message)), PARTS)
            self.assertLessEqual(max(map(len, message.splitlines())), 72)
            self.assertTrue(rest.startswith("For StarPU 1.4."))
        self.for_each_mail(check)

    def test_name_a_test_that_exists(self):
        def check(_, mail):
            named = re.findall(r"(?:tests|tools)/[\w/]+\.\w+", parts_of(mail.get_payload().partition("\n---\n")[0])["Test"])
            self.assertGreater(len(named), 0)
            for name in named:
                self.assertTrue((REPOSITORY / name).exists(), name)
        self.for_each_mail(check)

    def test_have_each_reproducer(self):
        texts = "".join(path.read_text(encoding="utf-8") for path in PATCHES)
        for program in (REPOSITORY / "tests" / "starpu").glob("*.c"):
            self.assertIn(f"tests/starpu/{program.name}", texts)
            self.assertTrue((REPOSITORY / "tools" / "starpu" / f"starpu-{program.stem.replace('_', '-')}.patch").exists())


if __name__ == "__main__":
    unittest.main()
