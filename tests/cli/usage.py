#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Help, versions, options and their ranges."""
import re

from support.program import ProgramTest, espalier, main

ANALYSIS = ["ordering", "factorizations", "panel-width", "narrow-panel-width", "amalgamation-widths",
            "amalgamation-zeros", "workers"]
TASKS = ["granularity", "subtrees-per-worker", "tile-rows", "kernels", "trsm-panel", "potrf-panel"]
OPTIONS = {
    "solve": ANALYSIS + TASKS + ["matching", "costs", "device-costs", "rhs", "nrhs", "out", "signs", "shift", "shift-matrix", "factorization", "regularization", "refine", "repeat", "watchdog", "coprocessors", "cuda-devices", "tune",
                                 "tuning",
                                 "coprocessor-threads", "coprocessor-workers", "sched", "sched-option", "halo", "device-memory", "on-device-full",
                                 "save-ordering", "mapping", "grid", "deterministic", "format", "memory-limit", "html", "trace", "report", "quiet",
                                 "verbose", "as", "help"],
    "analyze": ANALYSIS + ["save-ordering", "matching", "as", "granularity", "subtrees-per-worker", "tile-rows", "costs", "format", "tuning", "span", "graph", "report",
                           "quiet", "verbose", "help"],
    "generate": ["format", "parts", "quiet", "help"],
    "compare": ANALYSIS + TASKS + ["tuning", "sched", "baseline", "ranks", "coprocessors", "coprocessor-threads",
                                   "coprocessor-workers", "cuda-devices", "mapping", "grid", "repeat",
                                   "csv", "json", "html", "graph", "machine", "quiet", "help"],
    "completion": ["help"],
    "man": ["out", "help"],
    "help": ["help"],
    "tune": ["time", "rounds", "iterations", "seed", "objective", "workers", "kernels", "sched", "machine", "ranks",
             "coprocessors", "coprocessor-threads", "coprocessor-workers", "cuda-devices", "repeat", "out", "quiet", "help"],
}


def ranges_in(help_text):
    """Yields (option, symbol, lowest, highest) of each option with a range."""
    for entry in re.split(r"\n  (?=--)", help_text.partition("Examples:")[0])[1:]:
        name, symbol = re.match(r"--([a-z-]+)(?: (\S+))?", entry).groups()
        limits = re.search(r"\((\d+)\s+to\s+(\d+)\)", entry)
        if limits and symbol != "RxC":
            yield name, symbol, int(limits[1]), int(limits[2])


class Usage(ProgramTest):
    def test_help_names_all_subcommands(self):
        outcome = self.expect_success("--help")
        for command in OPTIONS:
            self.assertRegex(outcome.out, rf"\n  {command} +[A-Z]")

    def test_help_of_a_subcommand_names_all_its_options_and_teaches(self):
        for command, options in OPTIONS.items():
            out = self.expect_success(command, "--help").out
            named = re.findall(r"^  (?:-\w, )?--([a-z-]+)", out, re.M)
            self.assertEqual(sorted(named), sorted(options), command)
            self.assertIn(f"Examples:\n  espalier {command} ", out)

    def test_no_subcommand_lists_them_all(self):
        outcome = espalier()
        self.assertEqual((outcome.code, outcome.out), (2, ""))
        self.assertEqual(outcome.err, self.expect_success("help").out + "\nespalier: no subcommand was given; choose one of those above\n")

    def test_help_prints_the_help_of_a_subcommand_or_the_schedulers(self):
        self.assertEqual(self.expect_success("help").out, self.expect_success("--help").out)
        for command in OPTIONS:
            self.assertEqual(self.expect_success("help", command).out, self.expect_success(command, "--help").out)
        schedulers = self.expect_success("help", "schedulers").out
        for policy in ("espalier", "fanout", "ktq", "halo", "lws"):
            self.assertRegex(schedulers, rf"(?m)^  {policy} +\S")
        for policy, key in (("fanout", "grid"), ("ktq", "dpq_us"), ("halo", "device_memory")):
            self.assertRegex(schedulers.partition(f"Options of {policy} ")[2], rf"(?m)^  {key} ")
        for name, option in (("sympack", "--ordering scotch"), ("halo", "--panel-width 192"), ("swcholesky", "--sched-option fuse=1")):
            self.assertRegex(schedulers.partition(f"(--as {name})")[2], rf"(?m)^  {option} +section [\dIV]")
        self.expect_failure(2, "help", "slove", says=["did you mean solve?", "schedulers"])

    def test_everyday_options_come_first(self):
        out = self.expect_success("solve", "--help").out
        headings = re.findall(r"(?m)^(\S.*):$", out)
        self.assertEqual(headings[:3], ["Arguments", "Options", "Method"])
        self.assertIn("experts", headings[-2])
        everyday = out.partition("Options:")[2].partition("Method:")[0]
        self.assertEqual(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", everyday, re.M)[:4], ["--help", "--rhs", "--nrhs", "--out"])

    def test_help_fits_the_terminal(self):
        for command in OPTIONS:
            lines = self.expect_success(command, "--help").out.partition("Examples:")[0].splitlines()
            self.assertLessEqual(max(map(len, lines)), 100, command)

    def test_version(self):
        self.assertRegex(self.expect_success("--version").out, r"\Aespalier \d+\.\d+\.\d+\n\Z")

    def test_a_wrong_command_line_is_told_in_one_line_with_a_hint(self):
        hint = "run 'espalier solve --help'"
        self.expect_failure(2, "frobnicate", says=["frobnicate", "solve, analyze, generate"])
        self.expect_failure(2, "solve", says=["MATRIX", hint])
        self.expect_failure(2, "solve", "laplace2d:3", "more", says=["more", hint])
        self.expect_failure(2, "solve", "laplace2d:3", "--frobnicate", says=["--frobnicate", hint])
        self.expect_failure(2, "solve", "laplace2d:3", "--refine", says=["--refine", hint])
        self.expect_failure(2, "solve", "laplace2d:3", "--refine", "1", "--refine", "2", says=["--refine", hint])
        self.expect_failure(2, "solve", "laplace2d:3", "--rhs", "b.mtx", "--nrhs", "2", says=["--nrhs", "--rhs", hint])
        self.expect_failure(2, "analyze", "laplace2d:3", "--rhs", "b.mtx", says=["--rhs", "run 'espalier analyze --help'"])
        self.expect_failure(2, "generate", "laplace2d:3", says=["FILE", "run 'espalier generate --help'"])

    def test_each_number_is_held_to_the_range_that_the_help_states(self):
        ranges = list(ranges_in(espalier("solve", "--help").out))
        self.assertEqual(sorted(name for name, *_ in ranges),
                         sorted(["factorizations", "panel-width", "narrow-panel-width", "amalgamation-widths",
                                 "amalgamation-zeros", "subtrees-per-worker", "tile-rows", "workers", "nrhs", "refine",
                                 "repeat", "watchdog", "coprocessors", "cuda-devices", "coprocessor-threads"]))
        for name, symbol, lowest, highest in ranges:
            four = symbol == "A,B,C,D"
            for value in (lowest - 1, highest + 1, "", "many", "1x", "nan", 10**30):
                text = f"{lowest},{value},{lowest},{lowest}" if four else value
                with self.subTest(option=name, value=text):
                    self.expect_failure(2, "solve", "laplace2d:3", f"--{name}={text}", says=f"{lowest} to {highest}"
                                        if value != "" else "--help")

    def test_numbers_are_decimal(self):
        self.assertEqual(self.report_of("solve", "laplace2d:3", "--nrhs", "010")["solve"]["nrhs"], 10)
        self.expect_failure(2, "solve", "laplace2d:3", "--nrhs", "0x10", says="1 to 100000")

    def test_the_ends_of_the_ranges_are_accepted(self):
        self.expect_success("solve", "laplace2d:3", "--refine", 0, "--nrhs", 1, "--repeat", 1, "--workers", 1)
        self.expect_success("solve", "laplace2d:3", "--refine", 100)
        self.expect_success("solve", "laplace2d:3", "--subtrees-per-worker", 1.5, "--tile-rows", 1)
        for options in (["--panel-width", 8], ["--narrow-panel-width", 8], ["--panel-width", 8192], ["--factorizations", 10**9],
                        ["--amalgamation-widths", "0,0,0,0", "--amalgamation-zeros", "0,0,0,0"],
                        ["--amalgamation-widths", "1,2,3,2147483647", "--amalgamation-zeros", "1,1,0.5,1e-3"]):
            self.expect_success("analyze", "laplace2d:3", *options)

    def test_lists_have_four_numbers_and_grids_two(self):
        for text in ("2", "2x", "x2", "2x2x2", "0x1", "1x65537", "2,2"):
            self.expect_failure(2, "solve", "laplace2d:3", "--grid", text, says="--grid")
        for text in ("1", "1,1,1", "1,1,1,1,1", "1,1,1,", ",1,1,1", "1;1;1;1"):
            for option in ("--amalgamation-widths", "--amalgamation-zeros"):
                self.expect_failure(2, "analyze", "laplace2d:3", option, text, says=option[2:20])

    def test_lists_have_no_gaps(self):
        for command, option in (("solve", "--shift"), ("compare", "--workers"), ("simulate", "--nodes")):
            for text in (",", "1,,2", "1,", ",1"):
                self.expect_failure(2, command, "laplace2d:3", option, text, "--quiet", says=f"{option}: ''")
            self.expect_failure(2, command, option, "1", "laplace2d:3", "--nosuch", says="--nosuch")

    def test_choices_list_what_there_is(self):
        self.expect_failure(2, "solve", "laplace2d:3", "--granularity", "crumb", says="auto, panel, tile, block")
        self.expect_failure(2, "solve", "laplace2d:3", "--mapping", "crumb", says="proportional, block-cyclic, fan-both, 3d")
        self.expect_failure(2, "solve", "laplace2d:3", "--ordering", "crumb", says="auto, dissection, scotch, ptscotch, metis, amd, natural")
        self.expect_failure(2, "analyze", "laplace2d:3", "--ordering", "ptscotch", says="espalier solve")
        self.expect_failure(2, "solve", "laplace2d:0", says="laplace2d:M")
        self.expect_failure(2, "solve", "stokes2d:1", says="M from 2 to 26755")
        self.expect_failure(3, "generate", "laplace5d:3", self.folder / "a.mtx", says=["laplace3d:M", "indefinite: stokes2d:M"])
        self.expect_failure(2, "generate", "laplace2d:3", self.folder / "a.rb", says=".mtx.gz")
        for text in ("1Q", "-1", "M", "1e30", ""):
            self.expect_failure(2, "solve", "laplace2d:3", f"--memory-limit={text}", says="--help")

    def test_names_that_are_near_known_ones_are_told(self):
        file = self.folder / "a.mtx"
        solve = ("solve", "laplace2d:3")
        for code, command, meant in (
                (2, ["slove", "a.mtx"], "solve"), (2, [*solve, "--repaet", 3], "--repeat"), (2, [*solve, "--repaet=3"], "--repeat"),
                (2, ["--verison"], "--version"),
                (6, [*solve, "--sched", "lsw"], "lws"), (6, ["compare", "laplace2d:3", "--sched", "espaliers,lws"], "espalier"),
                (2, [*solve, "--ordering", "metsi"], "metis"), (2, [*solve, "--granularity", "tiel"], "tile"),
                (2, [*solve, "--kernels", "MIXED"], "mixed"), (2, [*solve, "--mapping", "block_cyclic"], "block-cyclic"),
                (2, [*solve, "--sched", "ktq", "--sched-option", "quues=inst"], "queues"),
                (2, [*solve, "--sched", "ktq", "--sched-option", "partitions=hlevelst"], "hlevelset"),
                (3, ["solve", "laplce2d:3"], "laplace2d"), (3, ["generate", "laplace:3", file], "laplace2d or laplace3d"),
                (2, ["man", "slove"], "solve"), (2, ["completion", "bahs"], "bash"), (2, ["reproduce", "sympac"], "sympack"),
                (2, ["tune", "laplace2d:3", "--objective", "makespam"], "makespan"),
                (3, ["simulate", "laplace2d:3", "--machine", "epyc_64"], "epyc-64")):
            with self.subTest(command=command):
                self.expect_failure(code, *command, says=f"; did you mean {meant}? ")

    def test_far_names_are_not_guessed(self):
        for code, command in ((2, ["frobnicate"]), (2, ["solve", "laplace2d:3", "--frobnicate"]),
                              (6, ["solve", "laplace2d:3", "--sched", "nosuch"]), (2, ["solve", "laplace2d:3", "--ordering", "crumb"]),
                              (2, ["solve", "laplace2d:3", "--granularity", "crumb"]), (3, ["solve", "nosuch.mtx"])):
            self.assertNotIn("did you mean", self.expect_failure(code, *command).err)

    def test_outputs_do_not_overwrite_inputs_or_each_other(self):
        matrix = self.write("a.mtx", "")
        same = self.folder / "." / "a.mtx"
        self.expect_failure(2, "solve", matrix, "--out", same, says="a.mtx")
        self.expect_failure(2, "solve", matrix, "--report", same, says="a.mtx")
        self.expect_failure(2, "analyze", matrix, "--report", same, says="a.mtx")
        self.expect_failure(2, "solve", matrix, "--out", self.folder / "b.mtx", "--report", self.folder / "b.mtx", says="/b.mtx")
        self.expect_failure(2, "solve", "laplace2d:3", "--rhs", matrix, "--out", same, says="a.mtx")


if __name__ == "__main__":
    main()
