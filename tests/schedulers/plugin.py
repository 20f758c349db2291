#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that do not know Espalier give right results under each policy of the plugin."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support.processes import ProcessTest  # noqa: E402
from support.starpu_programs import one_coprocessor, run_with_coprocessor, starpu_environment  # noqa: E402

PLUGIN = os.environ.get("ESPALIER_PLUGIN", "")
OTHER_PROGRAM = os.environ.get("ESPALIER_OTHER_PROGRAM", "")


def setting(policy, workers, **variables):
    return starpu_environment(workers, STARPU_SCHED_LIB=PLUGIN, STARPU_SCHED=policy, **variables)


def other_program(policy, workers, **variables):
    return subprocess.run([OTHER_PROGRAM], env=setting(policy, workers, **variables), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=100,
                          check=False)


def places(policy, workers=1, **variables):
    """Returns the numbers of tasks on CPUs and on a coprocessor, by kind of task. Copies are synchronous, because StarPU 1.4 deadlocks if
    asynchronous copies of megabytes run in both directions."""
    env = setting(policy, workers, STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY="1", **one_coprocessor(), **variables)
    code, out, err = run_with_coprocessor([OTHER_PROGRAM, "devices"], env, timeout=100)
    if code != 0:
        raise AssertionError(f"exit code {code}: {out}\n{err}")
    lines = re.findall(r"^(.+): (\d+) on CPUs, (\d+) on devices$", out, re.M)
    return {name: (int(cpus), int(devices)) for name, cpus, devices in lines}


def offered():
    """Returns the policies that STARPU_SCHED=help lists after those of StarPU."""
    text = other_program("help", 1).stderr.split("(dynamically available policies)")[1]
    return re.findall(r"^(\w+)\s+-> (.+)$", text.split("\n\n")[0], re.M)


class Plugin(ProcessTest):
    def test_help_lists_every_policy_with_a_description(self):
        names = [name for name, _ in offered()]
        self.assertLessEqual({"espalier", "fanout"}, set(names))
        self.assertEqual(len(names), len(set(names)))

    def expect_to_run(self, policy, **variables):
        for workers in (1, 2, 4):
            with self.subTest(policy=policy, workers=workers, **variables):
                done = other_program(policy, workers, STARPU_SILENT="1", **variables)
                self.assertEqual(done.returncode, 0, f"{done.stdout[-300:]}\n{done.stderr}")
                self.assertGreater(len(done.stdout.splitlines()), 10)

    def test_other_program_programs_run_under_every_policy(self):
        for policy, _ in offered():
            self.expect_to_run(policy)

    def test_workers_on_one_core_leave_it_to_those_who_have_tasks(self):
        cores = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(cores)})
            done = other_program("fanout", 4, STARPU_SILENT="1")
        finally:
            os.sched_setaffinity(0, cores)
        self.assertEqual(done.returncode, 0, f"{done.stdout[-300:]}\n{done.stderr}")

    def expect_places(self, policy, expected, **variables):
        """Expects, for each kind of task, that all run on CPUs, or all on the coprocessor, or (None) anywhere."""
        with self.subTest(policy=policy, **variables):
            found = places(policy, **variables)
            self.assertEqual(found["devices alone"][0], 0)
            self.assertEqual(found["CPUs alone"][1], 0)
            for name, (cpus, devices) in found.items():
                self.assertEqual(cpus + devices, 60, name)
            for name, side in expected.items():
                self.assertEqual(found[name][side == "CPUs"], 0, f"{name}: {found}")

    def test_other_program_tasks_run_on_coprocessors_under_every_policy(self):
        by_model = {"sooner on devices": "devices", "sooner on CPUs": "CPUs"}
        expected = {"espalier": by_model, "halo": by_model,
                    "fanout": {"large": "devices", "small": "CPUs", **by_model}}
        names = [name for name, _ in offered()]
        for policy in dict.fromkeys([*names, "halo"]):
            self.expect_places(policy, expected.get(policy, {}))
        self.expect_places("fanout", {**by_model, "large": "CPUs"}, ESPALIER_THRESHOLDS="calibrated")
        self.expect_places("fanout", {"large": "devices", "small": "CPUs", "sooner on devices": "CPUs"},
                           ESPALIER_THRESHOLDS="paper")
        self.expect_places("fanout", {"large": "CPUs", "small": "CPUs"}, ESPALIER_THRESHOLD_FOREIGN="600001")
        self.expect_places("fanout", {"large": "devices", "small": "devices"}, ESPALIER_THRESHOLD_FOREIGN="1000")
        self.expect_places("fanout", {"large": "CPUs", "small": "CPUs"}, ESPALIER_THRESHOLD_GEMM="1e9")

    def test_a_policy_for_devices_needs_none_for_foreign_programs(self):
        self.expect_to_run("halo")

    def test_other_program_parallel_tasks_run_on_all_workers_of_ktq(self):
        self.expect_to_run("ktq", ESPALIER_QUEUES="dpq")
        self.expect_to_run("ktq", ESPALIER_DPQ_US="0", ESPALIER_INST_US="1e9")

    def test_other_program_tasks_run_in_groups_of_ktq(self):
        for groups in ("auto", "2", "4096"):
            self.expect_to_run("ktq", ESPALIER_PARTITIONS="hlevelset", ESPALIER_GROUPS=groups)
        self.expect_to_run("ktq", ESPALIER_PARTITIONS="hlevelset", ESPALIER_GROUPS="2", ESPALIER_QUEUES="dpq")

    def test_options_come_from_the_environment(self):
        done = other_program("fanout", 2, STARPU_SILENT="1", ESPALIER_STEAL="1", ESPALIER_READY_ORDER="lifo",
                       ESPALIER_GRID="2x1")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_wrong_option_ends_the_program_and_is_told(self):
        done = other_program("fanout", 1, ESPALIER_READY_ORDER="random")
        self.assertNotEqual(done.returncode, 0)
        for part in ("ESPALIER_READY_ORDER", "'random'", "fifo, lifo, priority"):
            self.assertIn(part, done.stderr)
        self.assertEqual(other_program("espalier", 1, ESPALIER_READY_ORDER="random").returncode, 0)


if __name__ == "__main__":
    if not (PLUGIN and OTHER_PROGRAM):
        print("skipped: ESPALIER_PLUGIN and ESPALIER_OTHER_PROGRAM are not set")
        sys.exit(77)
    unittest.main()
