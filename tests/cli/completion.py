#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scripts for bash, zsh and fish complete command lines in their shells."""
import collections
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from support.program import ProgramTest, environment, espalier, main

# The text typed before the tabulator, the last word after completion, and the text typed after the tabulator.
Case = collections.namedtuple("Case", "typed word more", defaults=("",))
CASES = [
    Case("sol", "solve"),
    Case("solve --order", "--ordering"),
    Case("solve --ordering nat", "natural"),
    Case("solve --ordering=nat", "--ordering=natural"),
    Case("solve --ordering A", "A.mtx"),
    Case("solve A", "A.mtx"),
    Case("solve --quiet laplace3", "laplace3d:", "50"),
    Case("solve A.mtx --halo mdwin:p", "mdwin:paper"),
    Case("solve A.mtx --sched-option ready_order=l", "ready_order=lifo"),
    Case("solve A.mtx --trace fol", "folder/"),
    Case("solve A.mtx --trace A", "A"),  # a file, but the option needs a folder
    Case("solve A.mtx --nrhs A", "A"),  # the option needs a number
    Case("solve A.mtx --sched fan", "fanout"),
    Case("compare A.mtx --sched own,fan", "own,fanout"),
    Case("solve A.mtx --as swc", "swcholesky"),
    Case("compare A.mtx A", "A.mtx"),
    Case("generate laplace3d:5 A", "A.mtx"),
    Case("reproduce swc", "swcholesky"),
    Case("reproduce swcholesky A", "A"),  # only one name of a paper is allowed
    Case("calibrate --coprocessor-workers o", "one"),
    Case("man calib", "calibrate"),
    Case("completion fi", "fish"),
]

# Replaces the program: prints each of its arguments in a line with marks around it.
SHOW = "espalier() { printf '<<%s>>\\n' \"$@\"; printf '<<end>>\\n'; }\n"


class Terminal:
    """An interactive shell that runs in a folder and has read its file `setup`."""

    def __init__(self, command, folder):
        self.process, self.end = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment(TERM="dumb", HOME=folder, COLUMNS="200"))
        os.write(self.end, b". ./setup; espalier ready\n")
        self.read_until("<<end>>")

    def close(self):
        os.close(self.end)
        os.waitpid(self.process, 0)

    def read_until(self, mark, seconds=20):
        text = ""
        last = time.monotonic() + seconds
        while mark not in text:
            ready, _, _ = select.select([self.end], [], [], max(0, last - time.monotonic()))
            if not ready:
                raise AssertionError(f"the shell has not printed {mark!r}, but {text!r}")
            text += os.read(self.end, 65536).decode(errors="replace")
        return text

    def arguments(self, keys):
        """Returns the arguments of the program after these keys and the end of the line."""
        os.write(self.end, f"espalier {keys}".encode())
        os.write(self.end, b"\n")
        return re.findall(r"<<(.*?)>>", self.read_until("<<end>>"))[:-1]


class Completion(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("A.mtx", "")
        (self.folder / "folder").mkdir()

    def script(self, shell):
        return self.write(f"script.{shell}", self.expect_success("completion", shell).out)

    def expect_completed_at_the_terminal(self, command, setup):
        self.write("setup", setup + SHOW)
        terminal = Terminal(command, self.folder)
        self.addCleanup(terminal.close)
        for case in CASES:
            with self.subTest(typed=case.typed):
                before = case.typed.split()[:-1]
                self.assertEqual(terminal.arguments(f"{case.typed}\t{case.more}"), [*before, case.word + case.more])
        return terminal

    def test_bash(self):
        self.assertEqual(subprocess.run(["bash", "-n", self.script("bash")], check=True, capture_output=True).stderr, b"")
        terminal = self.expect_completed_at_the_terminal(
            ["bash", "--norc", "--noprofile", "-i"], "bind 'set bell-style none'; . ./script.bash\n")
        all_of = "\033*"  # inserts all completions
        self.assertEqual(terminal.arguments(f"solve --granularity {all_of}"),
                         ["solve", "--granularity", "auto", "block", "panel", "tile"])
        options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", espalier("generate", "--help").out, re.M)
        self.assertEqual(sorted(set(terminal.arguments(f"generate --{all_of}")[1:])), sorted(options))

    def test_bash_without_its_usual_breaks_of_words(self):
        self.script("bash")
        self.expect_completed_at_the_terminal(
            ["bash", "--norc", "--noprofile", "-i"],
            "bind 'set bell-style none'; COMP_WORDBREAKS=$' \\t\\n'; . ./script.bash\n")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed; tools/setup.sh --shells does that")
    def test_zsh(self):
        self.script("zsh")
        self.expect_completed_at_the_terminal(
            ["zsh", "-f", "-i"], "unsetopt beep auto_remove_slash; autoload -Uz compinit; compinit -D -u; . ./script.zsh\n")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed; tools/setup.sh --shells does that")
    def test_zsh_finds_the_script_in_its_path(self):
        (self.folder / "functions").mkdir()
        (self.folder / "functions" / "_espalier").write_text(self.script("zsh").read_text())
        self.expect_completed_at_the_terminal(
            ["zsh", "-f", "-i"], "unsetopt beep auto_remove_slash; fpath+=($PWD/functions); autoload -Uz compinit; compinit -D -u\n")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed; tools/setup.sh --shells does that")
    def test_fish(self):
        script = self.script("fish")
        lines = "\n".join(f"echo '<<{case.typed}'; complete -C 'espalier {case.typed}'" for case in CASES)
        run = subprocess.run(["fish", "--no-config", "-c", f"source {script}\n{lines}"], cwd=self.folder, text=True,
                             capture_output=True, check=True, env=environment(HOME=self.folder))
        self.assertEqual(run.stderr, "")
        for case, offered in zip(CASES, run.stdout.split("<<")[1:]):
            typed, *lines = offered.splitlines()
            self.assertEqual(typed, case.typed)
            words = [line.split("\t")[0] for line in lines]
            same = case.word == case.typed.split()[-1]
            self.assertEqual(words, [] if same else [case.word], case.typed)

    def test_another_shell_is_refused(self):
        self.expect_failure(2, "completion", "csh", says=["bash, zsh, fish", "espalier completion --help"])


if __name__ == "__main__":
    main()
