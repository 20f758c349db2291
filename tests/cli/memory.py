#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""If memory does not suffice, the program says so beforehand with exit code 5. It never crashes or hangs."""
import json
import resource
import statistics
import unittest

from support.matrices import arrow
from support.program import ProgramTest, combinations, environment, espalier, is_sanitized, main
from support.ranks import MPIRUN, on_ranks

MIB = 2**20


def is_near(report, peak):
    """Returns whether the prediction is right within a tenth, or within 2 MiB because systems differ in the resident libraries."""
    return abs(report["symbolic"]["predicted_peak_bytes"] - peak) <= max(0.1 * peak, 2 * MIB)


class Memory(ProgramTest):
    def test_a_limit_of_our_own(self):
        out = self.folder / "x.mtx"
        for limit in ("1", "1K", "1MiB", "20M"):
            self.expect_failure(5, "solve", "laplace3d:20", "--memory-limit", limit, "--out", out, says="memory limit")
        for limit in ("0", "2G", "1.5T", str(2**40)):
            self.expect_success("solve", "laplace3d:20", "--memory-limit", limit)

    def test_the_prediction_decides(self):
        needed = self.report_of("solve", "laplace3d:20")["symbolic"]["predicted_peak_bytes"]
        self.expect_success("solve", "laplace3d:20", "--memory-limit", needed + 1)
        self.expect_failure(5, "solve", "laplace3d:20", "--memory-limit", needed - 1, says="memory limit")

    def test_the_prediction_is_near_the_peak(self):
        if is_sanitized():
            self.skipTest("the address sanitizer takes additional memory")
        chain = self.write("chain.mtx", "%%MatrixMarket matrix coordinate real symmetric\n300000 300000 599999\n1 1 4\n" +
                           "".join(f"{i} {i} 4\n{i} {i - 1} -1\n" for i in range(2, 300001)))
        problems = ([chain], ["laplace3d:45"], ["irregular2d:200000"], ["laplace2d:200", "--granularity", "block"],
                    ["laplace2d:120", "--nrhs", 200], ["laplace2d:120"], ["laplace2d:7"], ["elasticity3d:8"])
        for arguments, workers in combinations(problems, (1, 2)):
            with self.subTest(arguments=arguments, workers=workers):
                self.expect_peak_predicted("solve", *arguments, "--workers", workers)

    @unittest.skipIf(MPIRUN is None, "there is no mpirun")
    def test_the_prediction_for_ranks_is_near_the_peak(self):
        if is_sanitized():
            self.skipTest("the address sanitizer takes additional memory")
        place = self.folder / "r.json"
        for arguments, workers in ((["laplace2d:7"], 1), (["laplace3d:30"], 1), (["laplace2d:200", "--nrhs", 200], 1),
                                   (["laplace3d:40"], 5)):
            with self.subTest(arguments=arguments, workers=workers):
                run = on_ranks(2, "solve", *arguments, "--workers", workers, "--quiet", "--report", place)
                self.assertEqual(run.returncode, 0, run.stderr)
                report = json.loads(place.read_text())
                self.expect_predicted(report, report["ranks"][0]["peak_rss_bytes"])

    @unittest.skipIf(MPIRUN is None, "there is no mpirun")
    def test_a_rank_of_many_workers_needs_less_than_one_process(self):
        place = self.folder / "r.json"
        solve = ("solve", "laplace3d:40", "--workers", 5, "--quiet", "--report", place)
        alone = self.report_of(*solve[:4])["symbolic"]["predicted_peak_bytes"]

        def predicted(limit):
            run = on_ranks(2, *solve, "--memory-limit", limit)
            self.assertEqual(run.returncode, 0, run.stderr)
            return json.loads(place.read_text())["symbolic"]["predicted_peak_bytes"]

        needed = predicted(0)
        self.assertLess(needed, 0.85 * alone)
        for limit in (needed + 1, needed - 8 * MIB):
            self.assertLessEqual(predicted(limit), limit)

    def test_the_peak_is_not_that_of_what_started_the_program(self):
        ballast = b"1" * (200 * MIB)
        report = self.report_of("solve", "laplace2d:9")
        for peak in (report["memory"]["peak_rss_bytes"], report["memory"]["phases"][0]["peak_rss_bytes"]):
            self.assertLess(peak, len(ballast))

    def expect_peak_predicted(self, *arguments):
        """Checks the peak of one run. If it is not near the prediction, checks the median of three runs, because the heaps that the C
        library keeps for threads differ from run to run."""
        reports = [self.report_of(*arguments)]
        if not is_near(reports[0], reports[0]["memory"]["peak_rss_bytes"]):
            reports += [self.report_of(*arguments) for _ in range(2)]
        self.expect_predicted(reports[0], statistics.median(report["memory"]["peak_rss_bytes"] for report in reports))

    def expect_predicted(self, report, peak):
        self.assertTrue(is_near(report, peak), (report["symbolic"]["predicted_peak_bytes"], peak))

    def test_refinement_takes_no_more_memory(self):
        """The steps of refinement need the same memory as the residual, so the prediction includes them."""
        if is_sanitized():
            self.skipTest("the address sanitizer takes additional memory")
        # Such small numbers have few digits, so that the error is large enough for refinement to start.
        entries = "".join(f"{i} {i} 5.7e-312\n" + (f"{i} {i - 1} -2.7e-312\n" if i > 1 else "") for i in range(1, 20001))
        hard = self.write("hard.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n20000 20000 39999\n{entries}")
        peaks = []
        for steps in (0, 3):
            report = self.report_of("solve", hard, "--nrhs", 64, "--refine", steps, "--workers", 1)
            self.assertGreater(report["solution"]["backward_error"], 1e-14, "there is nothing to refine")
            peaks.append(report["memory"]["peak_rss_bytes"])
        self.assertAlmostEqual(*peaks, delta=2 * MIB)

    def limited(self, mib, *arguments, resource_kind=resource.RLIMIT_AS, cores=None):
        """Runs with `ulimit -v` or `-d`. OpenBLAS starts a thread per core, or `cores` threads if given."""
        if is_sanitized():
            self.skipTest("the address sanitizer reserves terabytes of address space")
        limit = (mib * MIB, mib * MIB)
        return espalier(*arguments, timeout=30, env=environment(OPENBLAS_NUM_THREADS=cores),
                        preexec_fn=lambda: resource.setrlimit(resource_kind, limit))

    def limited_run(self, mib, *arguments, **options):
        outcome = self.limited(mib, "solve", *arguments, "--workers", 2, "--quiet", **options)
        self.assertRegex(outcome.err, r"\A(espalier: [^\n]+\n)?\Z")
        return outcome

    def test_the_system_s_limit_on_the_address_space(self):
        for mib in (128, 256, 320, 400, 440, 480, 520, 560, 640, 720, 800, 8192):
            with self.subTest(limit=f"{mib} MiB"):
                outcome = self.limited_run(mib, "laplace3d:16")
                self.assertIn(outcome.code, {128: [5], 256: [5], 8192: [0]}.get(mib, [0, 5]), outcome.err)

    def test_the_system_s_limit_on_data(self):
        for mib in (64, 200, 280, 300, 320, 360, 400, 440, 8192):
            with self.subTest(limit=f"{mib} MiB"):
                outcome = self.limited_run(mib, "laplace3d:16", resource_kind=resource.RLIMIT_DATA)
                self.assertIn(outcome.code, {64: [5], 8192: [0]}.get(mib, [0, 5]), outcome.err)

    def least_limit(self, resource_kind):
        """Returns the lowest limit, in MiB, that lets the dynamic loader start the program. Code 127 or a crash means that it cannot."""
        low, high = 1, 1024
        while low < high:
            middle = (low + high) // 2
            code = self.limited(middle, "--version", resource_kind=resource_kind).code
            low, high = (middle + 1, high) if code == 127 or code < 0 else (low, middle)
        return low

    def test_the_system_s_limit_on_stacks(self):
        """Thread-local variables of libraries take 90 KiB of each thread's stack, so that a thread with 100 KiB would crash."""
        if is_sanitized():
            self.skipTest("the address sanitizer takes more of the stack")
        solves = (["solve", "laplace2d:60"], ["solve", "stokes2d:20", "--factorization", "ldlt"], ["analyze", "laplace2d:60"])
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]

        def limit_to(kibibytes):
            return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_STACK, (kibibytes * 1024, hard))}

        for arguments in solves:
            for kibibytes in (100, 511):
                self.expect_failure(5, *arguments, says=["ulimit -s", f"{kibibytes}.0 KiB", "512.0 KiB"], **limit_to(kibibytes))
            self.expect_success(*arguments, **limit_to(512))
        # Scotch visits a tree of this graph by a recursion that takes 2.3 MB.
        self.expect_success("analyze", self.write("star.mtx", arrow(100000)), "--ordering", "scotch", **limit_to(1024))

    def test_a_start_with_little_memory(self):
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            least = self.least_limit(kind)
            for mib in (least, least + 5, least + 60, least + 150):
                for code, arguments in ((0, ["--version"]), (0, ["solve", "--help"]), (2, ["solv"]), (2, ["solve"])):
                    with self.subTest(limit=f"{mib} MiB", arguments=arguments):
                        outcome = self.limited(mib, *arguments, resource_kind=kind, cores=64)
                        # With the lowest limit the loader may leave too little memory for the program, which then ends with code 5.
                        self.assertIn(outcome.code, [code, 5] if mib == least else [code], outcome.err)

    def test_subcommands_with_little_memory(self):
        out = self.folder / "out"
        matrix = "laplace2d:9"
        for arguments in (["analyze", matrix], ["generate", matrix, self.folder / "a.mtx"], ["compare", matrix],
                          ["calibrate", "--quick", "--out", out], ["tune", matrix],
                          ["solve", matrix, "--coprocessors", "1"]):
            for mib in (96, 180, 300):
                with self.subTest(limit=f"{mib} MiB", arguments=arguments):
                    outcome = self.limited(mib, *arguments)
                    self.assertIn(outcome.code, [0, 5] if arguments[0] in ("analyze", "generate") else [5], outcome.err)

    def test_a_matrix_and_an_analysis_that_do_not_fit(self):
        for part, matrix, mib in (("analysis", "laplace2d:1000", 150), ("matrix", "laplace3d:300", 1000),
                                  ("matrix", "elasticity3d:100x100x100", 1000)):
            with self.subTest(part=part):
                outcome = self.limited(mib, "analyze", matrix, resource_kind=resource.RLIMIT_DATA)
                self.assertEqual(outcome.code, 5, outcome.err)
                self.assertIn(f"the {part} needs about", outcome.err)

    def test_rows_that_do_not_come_take_none(self):
        for symmetry in ("symmetric", "general"):
            matrix = self.write("a.mtx", f"%%MatrixMarket matrix coordinate real {symmetry}\n2147483647 2147483647 1\n"
                                         "2147483647 2147483647 1.0\n")
            outcome = self.limited_run(8192, matrix)
            self.assertEqual(outcome.code, 3, outcome.err)
            self.assertIn("the entry (1, 1) on the diagonal is missing", outcome.err)

    def test_right_hand_sides_go_in_blocks_that_fit(self):
        one = self.report_of("solve", "laplace2d:100")["symbolic"]["predicted_peak_bytes"]
        peaks = []
        for room in (40, 8):
            limit = one + room * MIB
            report = self.report_of("solve", "laplace2d:100", "--nrhs", 1000, "--memory-limit", limit)
            self.expect_accurate(report)
            peaks.append(report["memory"]["peak_rss_bytes"])
            self.assertLessEqual(peaks[-1], report["symbolic"]["predicted_peak_bytes"])
            self.assertLessEqual(report["symbolic"]["predicted_peak_bytes"], limit)
        self.assertLess(peaks[1], peaks[0] - 8 * MIB)

    def test_solutions_of_all_blocks_are_written(self):
        one = self.report_of("solve", "laplace2d:12")["symbolic"]["predicted_peak_bytes"]
        for limit in (one, one + 50 * 12 * 12 * 8, 0):
            self.expect_success("solve", "laplace2d:12", "--nrhs", 150, "--memory-limit", limit, "--quiet",
                                "--out", self.folder / "x.mtx")
            head, size, *entries = (self.folder / "x.mtx").read_text().splitlines()
            self.assertEqual(size, "144 150")
            self.assertEqual(len(entries), 144 * 150)
            for k, value in enumerate(entries):
                self.assertAlmostEqual(float(value), k // 144 + 1, delta=1e-9)
            self.assertEqual(self.files(), ["x.mtx"])

    def test_right_hand_sides_of_a_file_enter_the_prediction(self):
        count = 100
        rhs = self.write("b.mtx", f"%%MatrixMarket matrix array real general\n2500 {count}\n" + "1\n" * (2500 * count))
        one = self.report_of("solve", "laplace2d:50")["symbolic"]["predicted_peak_bytes"]
        for limit, code in ((one + 2500 * 8 * (count - 1), 0), (one + 2500 * 8 * (count - 1) - 1, 5)):
            outcome = espalier("solve", "laplace2d:50", "--rhs", rhs, "--memory-limit", limit)
            self.assertEqual(outcome.code, code, outcome.err)


if __name__ == "__main__":
    main()
