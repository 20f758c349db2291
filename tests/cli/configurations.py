#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The configurations of the papers, `--as sympack|halo|swcholesky`: each has all of its options, and other options have precedence."""
import json
import unittest

from support.coprocessors import has_coprocessors, runs, write_costs
from support.kernel_queues import Blocks, queues_of
from support.program import ProgramTest, environment, main
from support.ranks import MPIRUN, on_ranks

# Matrices with small, medium and large kernels.
MATRICES = ("laplace3d:12", "elasticity3d:6x6x6", "laplace2d:60")

SYMPACK = {"steal": "0", "ready_order": "fifo", "thresholds": "paper", "on_device_full": "cpu"}
SWCHOLESKY = {"queues": "all", "limits": "size", "inst_size": "8", "dpq_size": "128", "fuse": "1", "partitions": "hlevelset",
              "parts": "1"}


def blocks_alone(report):
    """Returns whether there is one task per block, and no subtree."""
    tasks = report["tasks"]
    return tasks["subtree"] == 0 and tasks["diagonal"] + tasks["factor"] == report["symbolic"]["blocks"]


class Configurations(ProgramTest):
    def solved(self, name, matrix, *options, **more):
        report = self.report_of("solve", matrix, "--as", name, "--workers", 2, *options, **more)
        self.expect_accurate(report)
        return report

    def expect_configuration(self, report, name, scheduler, settings, overridden=()):
        self.assertEqual(report["configuration"], {"name": name, "overridden": list(overridden)})
        self.assertEqual(report["scheduler"]["active"], scheduler)
        self.assertLessEqual(settings.items(), report["scheduler"].get("options", {}).items())

    def test_sympack_has_all_of_its_options(self):
        report = self.solved("sympack", "laplace3d:12")
        self.expect_configuration(report, "sympack", "fanout", SYMPACK)
        self.assertEqual((report["ordering"]["method"], report["factor"]["kernels"]), ("scotch", "blas"))
        self.assertTrue(blocks_alone(report), report["tasks"])

    def test_swcholesky_has_all_of_its_options(self):
        report = self.solved("swcholesky", "laplace3d:12")
        self.expect_configuration(report, "swcholesky", "ktq", SWCHOLESKY)
        self.assertEqual((report["ordering"]["method"], report["factor"]["kernels"]), ("metis", "own"))
        self.assertTrue(blocks_alone(report), report["tasks"])

    def test_the_environment_does_not_change_a_configuration(self):
        env = environment(ESPALIER_LIMITS="time", ESPALIER_FUSE="0", STARPU_SCHED="lws")
        self.expect_configuration(self.solved("swcholesky", "laplace3d:8", env=env), "swcholesky", "ktq", SWCHOLESKY)

    def test_swcholesky_fills_its_queues_by_the_rule_of_the_paper(self):
        """A small task waits in TPQ instead of InstQ if it becomes ready while it is submitted, because no worker has released it."""
        for matrix in MATRICES:
            for fused in (False, True):
                with self.subTest(matrix=matrix, fused=fused):
                    report = self.solved("swcholesky", matrix, "--sched-option", f"fuse={int(fused)}", "--trace", self.folder)
                    expected = queues_of(Blocks(self.folder / "trace.json"), fused)
                    found = {queue["queue"]: queue["tasks"] for queue in report["scheduler"]["queues"]}
                    self.assertEqual(found.get("dpq", 0), expected["dpq"])
                    self.assertEqual(found["inst"] + found["tpq"], expected["inst"] + expected["tpq"])
                    self.assertGreaterEqual(found["tpq"], expected["tpq"])
                    self.assertEqual(sum(expected.values()), sum(kind["count"] for kind in report["kinds"]))

    def test_all_configurations_have_the_same_solution(self):
        names = ["sympack", "swcholesky"] + (["halo"] if has_coprocessors() else [])
        for matrix in MATRICES:
            default = self.solution_of(matrix)
            for name in names:
                devices = ("--coprocessors", 1) if name == "halo" else ()
                for a, b in zip(default, self.solution_of(matrix, "--as", name, *devices), strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-11)

    def solution_of(self, matrix, *options):
        path = self.folder / "x.mtx"
        self.expect_accurate(self.report_of("solve", matrix, "--workers", 1, "--out", path, *options))
        _, *entries = (line for line in path.read_text().splitlines() if not line.startswith("%"))
        return [float(entry) for entry in entries]

    def test_options_have_precedence_in_any_order(self):
        for words in (("--as", "swcholesky", "--granularity", "tile", "--sched-option", "fuse=0"),
                      ("--sched-option", "fuse=0", "--granularity", "tile", "--as", "swcholesky")):
            report = self.report_of("solve", "laplace3d:8", *words)
            self.expect_configuration(report, "swcholesky", "ktq", dict(SWCHOLESKY, fuse="0"), ["granularity=tile", "fuse=0"])
            self.assertEqual(report["factor"]["granularity"], "tile")
            self.assertEqual(report["ordering"]["method"], "metis")

    def test_another_policy_replaces_the_one_of_a_configuration_with_its_options(self):
        report = self.solved("swcholesky", "laplace3d:8", "--sched", "lws")
        self.expect_configuration(report, "swcholesky", "lws", {}, ["sched=lws"])
        self.assertNotIn("options", report["scheduler"])

    def test_the_summary_names_the_configuration(self):
        out = self.expect_success("solve", "laplace2d:9", "--as", "sympack").out
        self.assertRegex(out, r"(?m)^method +follows sympack$")
        out = self.expect_success("solve", "laplace2d:9", "--as", "swcholesky", "--ordering", "amd", "--sched-option", "fuse=0").out
        self.assertRegex(out, r"(?m)^method +follows swcholesky, except ordering=amd, fuse=0$")
        self.assertNotIn("follows", self.expect_success("solve", "laplace2d:9").out)

    def test_a_run_without_a_configuration_reports_none(self):
        self.assertNotIn("configuration", self.report_of("solve", "laplace2d:9"))

    def test_analyze_predicts_for_a_configuration(self):
        report = self.report_of("analyze", "laplace3d:12", "--as", "swcholesky", "--workers", 2)
        self.assertEqual(report["configuration"], {"name": "swcholesky", "overridden": []})
        self.assertEqual(report["ordering"]["method"], "metis")
        self.assertTrue(blocks_alone(report), report["tasks"])
        self.assertRegex(self.expect_success("analyze", "laplace3d:12", "--as", "halo").out, "(?m)^method +follows halo$")

    def test_the_kernels_of_a_configuration_are_not_called_an_option_of_the_user(self):
        for name, kernels in (("sympack", "blas"), ("swcholesky", "own")):
            for factorization in ("ldlt", "auto"):
                choice = ("--factorization", factorization, "--as", name)
                outcome = self.expect_failure(2, "solve", "laplace2d:20", *choice,
                                              says=[f"--factorization {factorization}", f"--as {name} chooses the kernels {kernels}",
                                                    "add --kernels auto"])
                self.assertNotIn(f"--kernels {kernels}", outcome.err)
                self.expect_failure(2, "solve", "laplace2d:20", *choice, "--kernels", "mixed",
                                    says="give --kernels auto instead of --kernels mixed")
                report = self.report_of("solve", "laplace2d:20", *choice, "--kernels", "auto")
                self.expect_accurate(report)
                self.assertEqual(report["configuration"]["overridden"], ["kernels=auto"])

    def test_unknown_names_are_refused(self):
        for command in ("solve", "analyze", "simulate"):
            self.expect_failure(2, command, "laplace2d:3", "--as", "sympak",
                                says=["--as", "'sympak'", "did you mean sympack?", "sympack, halo, swcholesky"])
        self.expect_failure(2, "compare", "laplace2d:3", "--sched", "as=cholmod", says=["'cholmod'", "sympack, halo, swcholesky"])

    def test_halo_needs_devices(self):
        message = "no devices; add some with --coprocessors or --cuda-devices"
        self.expect_failure(6, "solve", "laplace2d:3", "--as", "halo", says=message)
        self.expect_failure(6, "compare", "laplace2d:3", "--sched", "espalier,as=halo", says=message)

    @unittest.skipUnless(has_coprocessors(), "this StarPU has no TCP/IP master-slave workers")
    def test_halo_has_all_of_its_options(self):
        write_costs(self.folder)
        env = environment(XDG_DATA_HOME=self.folder)
        wide = ("--panel-width", 512, "--narrow-panel-width", 512)
        for options, overridden in (((), []), (wide, ["panel-width=512", "narrow-panel-width=512"])):
            report = self.report_of("solve", "elasticity3d:8x8x8", "--as", "halo", "--workers", 1, "--coprocessors", 1, *options,
                                    "--trace", self.folder, env=env)
            self.expect_accurate(report)
            self.expect_configuration(report, "halo", "halo", {"halo": "mdwin:paper"}, overridden)
            self.assertEqual((report["ordering"]["method"], report["factor"]["kernels"]), ("metis", "blas"))
            self.assertTrue(blocks_alone(report), report["tasks"])
            self.assertGreater(report["offload"]["planned_fraction"], 0)
            self.assertGreater(runs(report, "coprocessor")["update"], 0)
            widest = max(Blocks(self.folder / "trace.json").width.values())
            self.assertEqual(128 < widest <= 192, not options, widest)

    def compared(self, *arguments):
        path = self.folder / "runs.json"
        out = self.expect_success("compare", *arguments, "--workers", 1, "--repeat", 1, "--json", path).out
        (matrix,) = json.loads(path.read_text())["matrices"]
        return matrix["policies"], out

    def test_compare_runs_configurations_beside_policies(self):
        names = ["espalier", "as=sympack", "as=swcholesky:fuse=0"]
        policies, out = self.compared("laplace3d:8", "--sched", ",".join(names), "--narrow-panel-width", 64)
        self.assertEqual([policy["policy"] for policy in policies], names)
        self.assertEqual([policy["active"] for policy in policies], ["espalier", "fanout", "ktq"])
        self.assertEqual([policy["configuration"] for policy in policies],
                         [None, {"name": "sympack", "overridden": []}, {"name": "swcholesky", "overridden": ["fuse=0"]}])
        self.assertEqual([policy["ordering"] for policy in policies][1:], ["scotch", "metis"])
        self.assertEqual([policy["granularity"] for policy in policies][1:], ["block", "block"])
        self.assertRegex(out, r"(?m)^as=sympack: .* flop, scotch ordering, block granularity, scheduler fanout$")
        self.assertRegex(out, r"(?m)^as=swcholesky:fuse=0: .*; it follows the paper except fuse=0$")

    @unittest.skipUnless(has_coprocessors(), "this StarPU has no TCP/IP master-slave workers")
    def test_compare_runs_all_configurations_with_devices(self):
        names = ["as=sympack", "as=halo", "as=swcholesky:fuse=0"]
        policies, _ = self.compared("laplace3d:8", "--sched", ",".join(names), "--coprocessors", 1)
        self.assertEqual([policy["active"] for policy in policies], ["fanout", "halo", "ktq"])
        self.assertEqual([policy["configuration"]["name"] for policy in policies], ["sympack", "halo", "swcholesky"])

    def test_simulate_takes_one_configuration(self):
        self.expect_failure(2, "simulate", "laplace2d:3", "--machine", "cluster", "--as", "sympack", "--sched", "lws,as=halo",
                            says=["--as", "--sched", "leave one out"])


@unittest.skipUnless(MPIRUN, "mpirun is not installed")
class OnRanks(ProgramTest):
    def report_on_ranks(self, *options):
        path = self.folder / "report.json"
        run = on_ranks(2, "solve", "laplace3d:10", "--workers", 1, *options, "--report", path)
        return run, json.loads(path.read_text())

    def test_sympack_distributes_blocks(self):
        run, report = self.report_on_ranks("--as", "sympack")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.expect_accurate(report)
        self.assertEqual(report["configuration"], {"name": "sympack", "overridden": []})
        self.assertEqual((report["distribution"]["mapping"], report["factor"]["granularity"]), ("block-cyclic", "block"))
        self.assertEqual(report["scheduler"]["active"], "fanout")
        self.assertLessEqual(SYMPACK.items(), report["scheduler"]["options"].items())
        self.assertRegex(run.stdout, r"(?m)^method +follows sympack$")

    def test_swcholesky_is_for_one_process(self):
        run, report = self.report_on_ranks("--as", "swcholesky")
        self.assertEqual((run.returncode, report["status"]), (2, "error"))
        self.assertIn("set fuse=0 with several ranks", run.stderr)
        run, report = self.report_on_ranks("--as", "swcholesky", "--sched-option", "fuse=0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.expect_accurate(report)
        self.assertEqual(report["configuration"]["overridden"], ["fuse=0"])


if __name__ == "__main__":
    main()
