#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulated factorizations take the times in the description of the machine, for any number of workers and nodes and with every policy.
They allocate no memory for L. Errors end the program with one line and their exit code."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from support.charts import copies_beside_tasks, copies_in
from support.matrices import arrow
from support.program import PROGRAM, ProgramTest, environment, main, skip

BUILT = pathlib.Path(PROGRAM).parent.parent / "simgrid" / "libespalier_simulated.so"
POLICIES = ("espalier", "fanout", "ktq", "levelset", "hlevelset", "lws", "dmdas", "eager")
MACHINE = "epyc-64"
GPUS = "h100-8"
FEW = "threshold_potrf=1:threshold_trsm=1:threshold_syrk=1:threshold_gemm=1"
WITH_DEVICES = ("espalier", f"fanout:{FEW}", "halo:halo=static0:0.5", "ktq", "levelset", "lws", "dmdas")


class Simulate(ProgramTest):
    def simulated(self, *arguments):
        return self.report_of("simulate", *arguments, "--quiet")

    def machine(self, name=MACHINE, **changes):
        """Writes the description of a machine with changes. Returns the file."""
        return self.write("machine.json", json.dumps({**self.described(name), **changes}))

    def described(self, name):
        return json.loads((pathlib.Path(__file__).parents[2] / "perfmodels" / "machines" / f"{name}.json").read_text())

    def device(self, flops=1e13, task=1e-5, link=1e-11, memory=10**10, **changes):
        """Returns a kind of device with these rates."""
        way = {"latency_seconds": 1e-5, "byte_seconds": link}
        rates = {"flops": flops, "half_order": 100, "memory_bytes_a_second": 1e12}
        return {"architecture": "cuda", "count": 8, "memory_bytes": memory,
                "costs": {"rates": rates, "task_seconds": task, "to": way, "back": way, "overlaps": True}, **changes}

    def on_devices(self, report, field="count"):
        return sum(kind[field] for kind in report["kinds"] if kind["worker"] != "cpu")

    def processes_with(self, path):
        """Returns the processes whose command line contains the path."""
        found = []
        for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(path).encode() in line.read_bytes():
                    found.append(line.parent.name)
            except OSError:
                pass  # it has just ended
        return found

    def program_of(self, process):
        """Returns the path of the program of a process, empty if the process has ended."""
        try:
            return os.readlink(f"/proc/{process}/exe")
        except OSError:
            return ""

    def busy(self, report):
        return sum(kind["seconds"] for kind in report["kinds"])

    @unittest.skipUnless(BUILT.exists(), "the simulator is not built")
    def test_has_all_functions_of_its_own(self):
        """The simulator replaces some sources of the program. If a function were missing, a simulation would end only when it
        calls that function."""
        wanted = subprocess.run(["nm", "--undefined-only", "--demangle", str(BUILT)], capture_output=True, text=True, check=True)
        self.assertIn("starpu_", wanted.stdout)
        self.assertNotIn("espalier::", wanted.stdout)

    def test_groups_with_more_entries_than_32_bits_count(self):
        """One task contains all of L: more than 2^31 entries, and more than 2^32."""
        for n, entries in ((70000, 2**31), (100000, 2**32)):
            report = self.simulated(self.write("arrow.mtx", arrow(n)), "--ordering", "natural", "--subtrees-per-worker", 1,
                                    "--workers", 1, "--machine", MACHINE)
            self.assertGreater(report["symbolic"]["nnz_l"], entries)
            self.assertEqual(report["tasks"]["subtree"], 1)
            self.assertGreater(report["factor"]["seconds"], 100)

    def test_panels_with_more_entries_than_32_bits_count(self):
        n, width = 600000, 8192
        wide = [self.write("arrow.mtx", arrow(n)), "--ordering", "natural", "--panel-width", width, "--machine", MACHINE]
        report = self.simulated(*wide, "--workers", 2, "--granularity", "panel")
        self.assertGreater(report["tasks"]["factor"] + report["tasks"]["update"], 0)
        self.assertGreater(report["symbolic"]["nnz_l"], 2**37)
        # The tiles of a panel are not contiguous, so StarPU cannot count their entries by columns. It gets them under policies that
        # look ahead.
        self.expect_failure(2, "simulate", *wide, "--workers", 2, "--granularity", "tile", "--tile-rows", 1000000, "--sched", "fanout",
                            says=["2^32 - 1 entries", "narrower panels"])

    def test_one_worker_takes_what_its_tasks_take(self):
        report = self.simulated("laplace3d:20", "--machine", self.machine(load=[]), "--workers", 1)
        simulated = report["simulated"]
        tasks = sum(kind["count"] for kind in report["kinds"])
        self.assertAlmostEqual(self.busy(report), sum(kind["predicted_seconds"] for kind in report["kinds"]), delta=1e-6)
        self.assertGreater(simulated["makespan_seconds"], self.busy(report))
        self.assertLess(simulated["makespan_seconds"], self.busy(report) + tasks * 30e-6)
        self.assertEqual(report["factor"]["seconds"], simulated["makespan_seconds"])
        self.assertEqual(simulated["efficiency"], 1)

    def phases(self, report):
        return [report["ordering"]["seconds"], report["symbolic"]["seconds"], report["factor"]["setup_seconds"],
                report["factor"]["seconds"], report["solve"]["seconds"], report["solve"]["residual_seconds"]]

    def works(self, report):
        return [report["ordering"]["work"], report["symbolic"]["work"], report["factor"]["setup_work"]]

    def test_the_time_to_solution_has_all_phases(self):
        alone, two, nodes = (self.simulated("laplace3d:24", "--machine", self.machine(load=[], analysis_scale=1), *case)
                             for case in (("--workers", 1), ("--workers", 2), ("--workers", 2, "--nodes", 2)))
        for report in (alone, two, nodes):
            phases = self.phases(report)
            self.assertTrue(all(seconds > 0 for seconds in phases), phases)
            self.assertAlmostEqual(report["simulated"]["time_to_solution_seconds"], sum(phases), delta=1e-9)
            self.assertEqual(max(phases), phases[["ordering", "symbolic", "setup", "factor", "solve", "residual"].index(
                report["simulated"]["longest_phase"])])
            for work in self.works(report):
                self.assertLessEqual(work["span_seconds"], work["seconds"] * (1 + 1e-9))
                self.assertGreaterEqual(work["scheduled_seconds"], work["span_seconds"] * (1 - 1e-9))
        for seconds, work in zip(self.phases(alone), self.works(alone)):
            self.assertAlmostEqual(work["seconds"], work["scheduled_seconds"], delta=1e-9)
            self.assertAlmostEqual(work["seconds"], seconds, delta=1e-4)
        self.assertLess(two["symbolic"]["work"]["span_seconds"], 0.95 * two["symbolic"]["work"]["seconds"])

    def test_more_workers_solve_sooner(self):
        runs = self.simulated("laplace3d:30", "--machine", MACHINE, "--workers", "1,2,8")["runs"]
        for time_of in (lambda run: run["simulated"]["time_to_solution_seconds"], lambda run: run["solve"]["seconds"]):
            times = [time_of(run) for run in runs]
            self.assertEqual(times, sorted(times, reverse=True))

    def test_the_analysis_takes_what_the_machine_needs_for_it(self):
        once, thrice = (self.simulated("laplace3d:20", "--machine", self.machine(load=[], analysis_scale=scale), "--workers",
                                       1) for scale in (1, 3))
        self.assertAlmostEqual(self.phases(once)[0], self.works(once)[0]["seconds"], delta=1e-4)
        self.assertAlmostEqual(self.phases(thrice)[0], 3 * self.works(thrice)[0]["seconds"], delta=1e-4)
        self.assertEqual(once["factor"]["seconds"], thrice["factor"]["seconds"])

    def test_workers_wait_for_the_lock_of_a_policy(self):
        """The lock is held for 0.3 us when a task is entered, and again when it is taken."""
        report = self.simulated("laplace3d:16", "--machine", MACHINE, "--workers", 64, "--granularity", "block", "--tile-rows", 32,
                                "--panel-width", 32, "--narrow-panel-width", 32)
        self.assertGreater(report["factor"]["seconds"], report["tasks"]["submitted"] * 0.6e-6)

    def test_the_benchmark_of_many_cores(self):
        bench = pathlib.Path(__file__).parents[2] / "tools" / "bench" / "scaling.py"
        command = [sys.executable, "-B", str(bench), "laplace3d:16", "--machine", MACHINE, "--workers", "1,2,4", "--rounds", "1"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ESPALIER": PROGRAM}, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in done.stdout.splitlines()[2:]]
        self.assertEqual([row[:2] for row in rows], [["laplace3d:16", cores] for cores in ("1", "2", "4")])
        totals = [float(row[2].rstrip("*")) for row in rows]
        marked = [row[2].endswith("*") for row in rows]
        self.assertEqual(done.returncode, int(any(marked)))
        for row, total in zip(rows, totals):
            self.assertAlmostEqual(sum(map(float, row[3:9])), total, delta=0.02 * total)
            self.assertAlmostEqual(float(row[9]), totals[0] / total, delta=0.1)
            self.assertTrue(0 < float(row[11]) <= 1, row)

    def test_a_simulation_repeats(self):
        times = {self.simulated("laplace3d:16", "--machine", MACHINE, "--workers", 4)["simulated"]["makespan_seconds"]
                 for _ in range(2)}
        self.assertEqual(len(times), 1)

    def test_load_makes_tasks_longer(self):
        once, twice = (self.simulated("laplace3d:16", "--machine", self.machine(load=[[1, factor]]), "--workers", 2)
                       for factor in (1, 2))
        self.assertAlmostEqual(self.busy(twice) / self.busy(once), 2, delta=1e-3)

    def test_more_workers_take_less_time(self):
        runs = self.simulated("laplace3d:24", "--machine", MACHINE, "--workers", "1,2,8")["runs"]
        times = [run["simulated"]["makespan_seconds"] for run in runs]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertGreater(times[0] / times[1], 1.7)
        for run in runs:
            shares = run["simulated"]["idle_share"] + run["simulated"]["runtime_share"]
            self.assertGreaterEqual(shares, 0)
            self.assertLess(shares, 1)

    def test_every_policy_runs_all_tasks_on_one_and_two_nodes(self):
        for nodes in (1, 2):
            runs = self.simulated("laplace3d:14", "--machine", MACHINE, "--workers", 2, "--nodes", nodes, "--granularity",
                                  "tile", "--sched", ",".join(POLICIES))["runs"]
            self.assertEqual([run["scheduler"]["active"] for run in runs], list(POLICIES))
            counts = {json.dumps({kind["kind"]: kind["count"] for kind in run["kinds"]}) for run in runs}
            self.assertEqual(len(counts), 1, counts)

    def test_policies_run_all_tasks_with_devices(self):
        for nodes, devices in ((1, "1,2,8"), (2, "4")):
            for policy in WITH_DEVICES:
                report = self.simulated("laplace3d:18", "--machine", GPUS, "--workers", 2, "--nodes", nodes, "--cuda-devices",
                                        devices, "--granularity", "tile", "--sched", policy)
                for run in report.get("runs", [report]):
                    with self.subTest(policy=policy, nodes=nodes, devices=run["simulated"]["devices"]):
                        self.assertEqual(run["machine"]["cuda_workers"], run["simulated"]["devices"] * nodes)
                        tasks = sum(count for kind, count in run["tasks"].items() if isinstance(count, int) and kind != "submitted")
                        self.assertEqual(sum(kind["count"] for kind in run["kinds"]), tasks)
                        self.assertGreater(self.on_devices(run), 0)
                        self.assertGreater(run["simulated"]["device_busy_share"], 0)

    def test_configurations_of_papers_run_on_their_machines(self):
        for name, ordering, place in (("sympack", "scotch", ("--machine", MACHINE, "--nodes", 2)),
                                      ("halo", "metis", ("--machine", GPUS, "--cuda-devices", 1)),
                                      ("swcholesky", "metis", ("--machine", MACHINE))):
            report = self.simulated("laplace3d:10", "--as", name, "--workers", 2, *place)
            self.assertEqual(report["configuration"], {"name": name, "overridden": []})
            self.assertEqual(report["ordering"]["method"], ordering)
            tasks = report["tasks"]
            self.assertEqual(tasks["diagonal"] + tasks["factor"], report["symbolic"]["blocks"])
            self.assertEqual(self.on_devices(report) > 0, name == "halo")
        report = self.simulated("laplace3d:8", "--sched", "as=swcholesky:fuse=0", "--workers", 2, "--machine", MACHINE,
                                "--granularity", "tile")
        self.assertEqual(report["configuration"]["overridden"], ["granularity=tile", "fuse=0"])
        report = self.simulated("laplace3d:8", "--as", "swcholesky", "--sched", "levelset", "--workers", 2, "--machine", MACHINE)
        self.assertEqual((report["scheduler"]["active"], report["configuration"]["name"]), ("levelset", "swcholesky"))
        self.assertIn("sched=levelset", report["configuration"]["overridden"])
        self.assertEqual(report["factor"]["granularity"], "block")
        self.expect_failure(2, "simulate", "laplace3d:8", "--as", "swcholesky", "--sched", "lws,as=halo", "--machine", MACHINE,
                            says=("--as", "leave one out"))

    def test_devices_take_what_the_machine_says(self):
        def run(**device):
            machine = self.machine(devices=[self.device(**device)])
            return self.simulated("laplace3d:16", "--machine", machine, "--workers", 1, "--cuda-devices", 1, "--sched",
                                  f"fanout:{FEW}", "--granularity", "block")
        usual, slow, far, waiting = run(), run(flops=1e10), run(link=1e-8), run(task=1e-3)
        counts = {self.on_devices(report) for report in (usual, slow, far, waiting)}
        self.assertEqual(len(counts), 1)
        for same in (far, waiting):  # for kernels
            self.assertAlmostEqual(self.on_devices(same, "seconds"), self.on_devices(usual, "seconds"), delta=1e-6)
        times = [report["simulated"]["makespan_seconds"] for report in (usual, slow, far, waiting)]
        self.assertEqual(times[0], min(times))
        moved = usual["offload"]["bytes_to_device"] + usual["offload"]["bytes_to_host"]
        self.assertGreater(usual["offload"]["bytes_to_device"], 0)
        self.assertGreater(times[2], 0.5 * 1e-8 * moved)
        self.assertGreater(times[3], 1e-3 * counts.pop())

    def test_a_fast_device_saves_time(self):
        machine = self.machine(devices=[self.device()])
        alone, beside = (run["simulated"]["makespan_seconds"] for run in self.simulated(
            "laplace3d:30", "--machine", machine, "--workers", 2, "--cuda-devices", "0,1", "--sched", "dmdas")["runs"])
        self.assertLess(beside, 0.9 * alone)

    def test_the_machines_of_the_papers_have_their_rates(self):
        """All cores together stay below the published peak. One core alone, at a higher clock, is at most 1.3 times as fast as its share."""
        for machine, workers, gflops in (("ivb20c", 20, 448), ("babbage", 16, 332), ("sw26010", 64, 742)):
            with self.subTest(machine=machine):
                report = self.simulated("elasticity3d:16x16x16", "--machine", self.machine(machine), "--workers", workers)
                self.assertLess(report["factor"]["gflops"], gflops)
                alone = self.simulated("elasticity3d:16x16x16", "--machine", self.machine(machine), "--workers", 1)
                self.assertLess(alone["factor"]["gflops"], 1.3 * gflops / workers)
                self.assertGreater(alone["factor"]["gflops"], 0.3 * gflops / workers)
                self.assertGreater(report["factor"]["gflops"], 2 * alone["factor"]["gflops"])

    def test_the_coprocessors_of_halo_have_their_memory(self):
        for machine, coprocessors, workers in (("ivb20c", 1, 19), ("babbage", 2, 14)):
            with self.subTest(machine=machine):
                report = self.simulated("elasticity3d:20x20x20", "--machine", self.machine(machine), "--workers", workers,
                                        "--coprocessors", coprocessors, "--sched", "halo:halo=static0:0.5")
                self.assertEqual(report["machine"]["coprocessor_workers"], coprocessors)
                self.assertGreater(report["offload"]["fraction"], 0)
                device, = self.described(machine)["devices"]
                self.assertEqual((device["count"], device["memory_bytes"]), (coprocessors, 7 * 10**9))

    def test_no_run_takes_less_than_its_bound(self):
        cases = [("laplace3d:30", "h100-8", policy, 4) for policy in WITH_DEVICES]
        cases += [(matrix, machine, "espalier", 15) for matrix in ("laplace3d:20", "laplace2d:100", "laplace3d:40")
                  for machine in ("h100-8", "h200-1")]
        for matrix, machine, policy, workers in cases:
            devices = "0,1" if policy in POLICIES else 1
            runs = self.simulated(matrix, "--machine", machine, "--workers", workers, "--cuda-devices", devices, "--sched",
                                  policy)
            for run in runs.get("runs", [runs]):
                with self.subTest(matrix=matrix, machine=machine, policy=policy, devices=run["simulated"]["devices"]):
                    self.assertLess(run["factor"]["bound_seconds"], run["factor"]["seconds"])
                    self.assertGreater(run["factor"]["bound_seconds"], 0.1 * run["factor"]["seconds"])
        alone = self.simulated("laplace3d:40", "--machine", MACHINE, "--workers", 4)["factor"]
        self.assertGreater(alone["bound_seconds"], 0.8 * alone["seconds"])

    def test_policies_see_what_copies_take(self):
        for policy in ("espalier", "dmdas"):
            near, far = (self.simulated("laplace3d:24", "--machine", self.machine(devices=[self.device(link=link)]), "--workers",
                                        1, "--cuda-devices", 1, "--sched", policy) for link in (1e-11, 1e-6))
            with self.subTest(policy=policy):
                self.assertGreater(self.on_devices(near), 0)
                self.assertEqual(self.on_devices(far), 0)

    def test_devices_reach_each_other(self):
        def makespan(byte):
            peer = {"peer": {"latency_seconds": 1e-6, "byte_seconds": byte}} if byte else {}
            machine = self.machine(devices=[self.device(link=1e-9, **peer)])
            return self.simulated("laplace3d:20", "--machine", machine, "--workers", 1, "--cuda-devices", 2, "--sched",
                                  f"fanout:{FEW}", "--granularity", "tile")["simulated"]["makespan_seconds"]
        self.assertLess(makespan(1e-12), makespan(1e-7))
        self.assertNotEqual(makespan(1e-12), makespan(None))

    def shared_by_devices(self, peer):
        """Returns a factorization on two devices with slow links to the host, and the events of its trace."""
        machine = self.machine(devices=[self.device(flops=1e12, link=1e-9, **peer)])
        report = self.simulated("laplace3d:40", "--machine", machine, "--workers", 4, "--cuda-devices", 2, "--trace", self.folder)
        return report, json.loads((self.folder / "trace.json").read_text())["traceEvents"]

    def test_devices_that_reach_each_other_share_fronts(self):
        def makespan(peer):
            return self.shared_by_devices(peer)[0]["simulated"]["makespan_seconds"]
        self.assertLess(makespan({"peer": {"latency_seconds": 1e-6, "byte_seconds": 1e-12}}), 0.9 * makespan({}))

    def test_copies_from_the_host_go_on_beside_those_between_devices(self):
        _, events = self.shared_by_devices({"peer": {"latency_seconds": 1e-6, "byte_seconds": 2e-10}})
        copies = sorted(copies_in(events), key=lambda copy: copy["end"])
        self.assertTrue(any(copy["from"] > 0 and copy["to"] > 0 for copy in copies))
        for device in (1, 2):
            last = 0
            for copy in (copy for copy in copies if copy["from"] == 0 and copy["to"] == device):
                alone = 10 + 1e-3 * copy["bytes"]  # in microseconds
                self.assertLess(copy["end"] - max(copy["begin"], last), 1.5 * alone + 30)
                last = copy["end"]

    def test_devices_with_little_memory_run_what_fits(self):
        def moved(mebibytes):
            machine = self.machine(devices=[self.device(flops=1e12, memory=mebibytes * 2**20)])
            report = self.simulated("laplace3d:50", "--machine", machine, "--workers", 1, "--cuda-devices", 1, "--sched", "dmdas")
            self.assertGreater(report["memory"]["factor_bytes"], 200 * 2**20)
            return report["offload"]["bytes_to_device"] + report["offload"]["bytes_to_host"]
        self.assertGreater(moved(128), moved(10000))  # with little memory, data are evicted and copied again
        machine = self.machine(devices=[self.device()])
        arguments = ("laplace3d:24", "--machine", machine, "--workers", 1, "--cuda-devices", 1)
        kept = [self.simulated(*arguments, "--sched", f"halo:halo=static0:0.5{limit}")["offload"]["kept"]
                for limit in ("", ":device_memory=100000")]
        self.assertEqual(kept[0], 1)
        self.assertLess(kept[1], 1)
        self.expect_failure(5, "simulate", *arguments, "--sched", f"fanout:{FEW}:device_memory=1000:on_device_full=fail",
                            says="device_memory")

    def test_coprocessors_are_devices_of_their_own_kind(self):
        machine = self.machine(devices=[self.device(architecture="coprocessor")])
        report = self.simulated("laplace3d:20", "--machine", machine, "--workers", 1, "--coprocessors", 2, "--sched", "lws")
        self.assertEqual((report["machine"]["coprocessor_workers"], report["machine"]["cuda_workers"]), (2, 0))
        self.assertEqual({kind["worker"] for kind in report["kinds"]}, {"cpu", "coprocessor"})
        beside, after = (self.simulated("laplace3d:24", "--machine", self.machine(devices=[
            self.device(architecture="coprocessor", link=5e-9, costs={**self.device(link=5e-9)["costs"], "overlaps": overlaps})]),
                                        "--workers", 1, "--coprocessors", 1, "--sched", f"fanout:{FEW}", "--granularity", "tile")
                         for overlaps in (True, False))
        self.assertLess(beside["simulated"]["makespan_seconds"], after["simulated"]["makespan_seconds"])

    def test_fanout_by_blocks_is_faster_in_batches(self):
        """The tasks and the blocks that nodes exchange are the same, but StarPU gets fewer tasks, and nodes send fewer messages."""
        for nodes, workers in (1, 1), (1, 4), (4, 1):
            joined, alone = (self.simulated("laplace3d:9", "--machine", MACHINE, "--nodes", nodes, "--workers", workers, "--granularity",
                                            "block", "--mapping", "block-cyclic", "--sched", f"fanout:join={join}") for join in (1, 0))
            with self.subTest(nodes=nodes, workers=workers):
                counts = [{kind["kind"]: kind["count"] for kind in report["kinds"]} for report in (joined, alone)]
                self.assertEqual(*counts)
                self.assertEqual(joined["distribution"]["blocks_sent"], alone["distribution"]["blocks_sent"])
                self.assertLess(joined["tasks"]["submitted"], alone["tasks"]["submitted"])
                self.assertLessEqual(joined["distribution"]["messages"], alone["distribution"]["messages"])
                self.assertLess(joined["simulated"]["makespan_seconds"], alone["simulated"]["makespan_seconds"])
                predicted = [sum(kind["predicted_seconds"] for kind in report["kinds"]) for report in (joined, alone)]
                self.assertAlmostEqual(*predicted, delta=1e-9)

    def test_policies_look_at_data_while_they_are_copied(self):
        costs = {**self.device()["costs"], "overlaps": False}
        machine = self.machine(devices=[self.device(architecture="coprocessor", link=5e-10, costs=costs)])
        for policy in WITH_DEVICES:
            with self.subTest(policy=policy):
                report = self.simulated("laplace3d:24", "--machine", machine, "--workers", 1, "--coprocessors", 1, "--sched",
                                        policy, "--granularity", "tile")
                self.assertGreater(self.on_devices(report), 0)

    def test_what_devices_computed_comes_home_beside_other_tasks(self):
        machine = self.machine(devices=[self.device(link=1e-9)])
        report = self.simulated("laplace3d:24", "--machine", machine, "--workers", 1, "--cuda-devices", 1, "--sched",
                                f"fanout:{FEW}", "--granularity", "tile", "--trace", self.folder)
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        tasks_end = max(event["ts"] + event["dur"] for event in events if event.get("cat") == "task")
        late = report["simulated"]["makespan_seconds"] - tasks_end * 1e-6
        self.assertLess(late, 0.2 * 1e-9 * report["memory"]["factor_bytes"])

    def test_traces_have_copies_beside_tasks_or_one_after_the_other(self):
        for overlaps in (True, False):
            costs = {**self.device(link=2e-9)["costs"], "overlaps": overlaps}
            machine = self.machine(devices=[self.device(architecture="coprocessor", link=2e-9, costs=costs)])
            report = self.simulated("laplace3d:24", "--machine", machine, "--workers", 1, "--coprocessors", 1, "--sched",
                                    f"fanout:{FEW}", "--granularity", "tile", "--trace", self.folder)
            events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
            copies = copies_in(events)
            for bytes_copied, device in (("bytes_to_device", 1), ("bytes_to_host", 0)):
                self.assertEqual(sum(copy["bytes"] for copy in copies if copy["to"] == device), report["offload"][bytes_copied])
            ends = [max(copy["end"] for copy in copies[:k]) for k in range(1, len(copies))]
            crossing = sum(copy["begin"] < end - 1e-3 for copy, end in zip(copies[1:], ends))
            self.assertEqual(crossing > 0, overlaps)
            if overlaps:
                self.assertGreater(copies_beside_tasks(events), 0.25)

    def test_coprocessors_on_the_same_machine_keep_cores_busy(self):
        alone, beside = (self.simulated("laplace3d:16", "--machine", self.machine(
            devices=[self.device(architecture="coprocessor")], load=[[1, 1], [2, 2]], one_machine=shared), "--workers", 1,
                                        "--coprocessors", 1, "--sched", f"fanout:{FEW}") for shared in (False, True))
        seconds = [sum(kind["seconds"] for kind in report["kinds"] if kind["worker"] == "cpu") for report in (alone, beside)]
        self.assertAlmostEqual(seconds[1] / seconds[0], 2, delta=1e-3)

    def test_nodes_exchange_what_they_share(self):
        fast, slow = (self.simulated("laplace3d:20", "--machine", self.machine(
            network={"latency_seconds": 1e-6, "byte_seconds": seconds}), "--workers", 2, "--nodes", 2)
                      for seconds in (1e-11, 1e-8))
        self.assertEqual(fast["distribution"]["engine"], "StarPU-MPI")
        self.assertGreater(fast["distribution"]["messages"], 0)
        self.assertEqual(slow["distribution"]["messages"], fast["distribution"]["messages"])
        self.assertEqual(slow["distribution"]["bytes"], fast["distribution"]["bytes"])
        self.assertGreater(slow["simulated"]["makespan_seconds"],
                           fast["simulated"]["makespan_seconds"] + 0.3 * slow["simulated"]["communication_seconds"])

    def test_ranks_of_a_node_share_its_link_and_its_cores(self):
        def two_ranks(*places, **changes):
            return self.simulated("laplace3d:16", "--machine", self.machine(**changes), "--workers", 1, *places)
        network = {"latency_seconds": 1e-4, "byte_seconds": 1e-8}
        apart, together = (two_ranks(*places, network=network, load=[]) for places in (("--nodes", 2), ("--ranks-per-node", 2)))
        self.assertEqual(together["machine"]["ranks"], 2)
        self.assertEqual(together["simulated"]["ranks_per_node"], 2)
        self.assertEqual(together["distribution"]["bytes"], apart["distribution"]["bytes"])
        self.assertLess(together["simulated"]["makespan_seconds"], 0.8 * apart["simulated"]["makespan_seconds"])
        apart, together = (two_ranks(*places, load=[[1, 1], [2, 2]]) for places in (("--nodes", 2), ("--ranks-per-node", 2)))
        self.assertAlmostEqual(self.busy(together) / self.busy(apart), 2, delta=1e-3)
        for places, says in ((("--workers", 33), "fewer than 66 workers"), (("--workers", 1, "--cuda-devices", 1), "fewer than 2")):
            self.expect_failure(2, "simulate", "laplace2d:9", "--machine", MACHINE, "--ranks-per-node", 2, *places, says=says)

    def test_a_message_takes_the_latency_as_often_as_it_goes_there_and_back(self):
        latency = 1e-2
        fast, slow = (self.simulated("laplace3d:20", "--machine", self.machine(
            network={"latency_seconds": seconds, "byte_seconds": 1e-12}), "--workers", 2, "--nodes", 2)
                      for seconds in (1e-9, latency))
        longer = slow["simulated"]["makespan_seconds"] - fast["simulated"]["makespan_seconds"]
        self.assertGreater(longer, 3 * latency)
        self.assertLess(longer, 4 * latency * slow["distribution"]["messages"])

    def test_it_takes_no_memory_for_the_factor(self):
        report = self.simulated("laplace3d:50", "--machine", MACHINE, "--workers", 8)
        self.assertLess(report["memory"]["peak_rss_bytes"], report["memory"]["factor_bytes"])

    def test_the_page_and_the_table(self):
        page = self.folder / "page.html"
        out = self.expect_success("simulate", "laplace3d:12", "--machine", MACHINE, "--workers", "1,2", "--sched",
                                  "espalier,lws", "--html", page).out
        self.assertEqual(len(out.splitlines()), 7, out)
        self.assertTrue(out.splitlines()[-1].startswith("not validated"), out)
        self.assertEqual(page.read_text().count('class="run"'), 4)

    def test_traces_go_to_a_folder_for_each_case(self):
        folder = self.folder / "traces"
        self.expect_success("simulate", "laplace3d:12", "--machine", MACHINE, "--workers", "2", "--nodes", "1,2", "--trace",
                            folder)
        self.assertEqual(self.files(), ["traces"] + [f"traces/espalier-{case}{file}" for case in ("1x2", "2x2")
                                                     for file in ("", "/gantt.svg", "/trace.json")])
        for case, ranks in (("1x2", 1), ("2x2", 2)):
            events = json.loads((folder / f"espalier-{case}" / "trace.json").read_text())["traceEvents"]
            self.assertEqual(len({event["pid"] for event in events if event["ph"] == "X"}), ranks)

    def test_an_interrupted_simulation_leaves_nothing(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        started = subprocess.Popen([PROGRAM, "simulate", "laplace3d:60", "--machine", MACHINE, "--workers", "64", "--quiet"],
                                   env=environment(TMPDIR=temporary), stderr=subprocess.PIPE)
        folders = []
        while not folders:
            folders = [path for path in temporary.iterdir() if (path / "output").exists()]
            time.sleep(0.01)
        started.send_signal(signal.SIGTERM)
        _, err = started.communicate(timeout=20)
        self.assertEqual((started.returncode, err), (128 + signal.SIGTERM, b"espalier: interrupted\n"))
        self.assertEqual([path for path in temporary.iterdir() if path.name.startswith("espalier")], [])
        for _ in range(100):
            if not self.processes_with(temporary):
                break
            time.sleep(0.05)
        self.assertEqual(self.processes_with(temporary), [])

    def test_a_killed_simulation_has_no_memory(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        started = subprocess.Popen([PROGRAM, "simulate", "laplace3d:60", "--machine", MACHINE, "--workers", "64", "--quiet"],
                                   env=environment(TMPDIR=temporary), stderr=subprocess.PIPE, text=True)
        simulators = []
        while not simulators and started.poll() is None:
            simulators = [process for process in self.processes_with(temporary) if "smpimain" in self.program_of(process)]
            time.sleep(0.01)
        os.kill(int(simulators[0]), signal.SIGKILL)
        _, err = started.communicate(timeout=20)
        self.assertEqual((started.returncode, err.count("\n")), (5, 1))
        self.assertIn("memory was full; simulate fewer nodes", err)

    def test_figures_are_made_again_on_many_nodes(self):
        report = self.report_of("reproduce", "sympack", "--figure", "7", "--matrices", "laplace3d:10", "--nodes", "1,4", "--workers", 4,
                                "--simulated", "cluster", "--rounds", 1, "--repeat", 2, "--quiet")
        figure, = report["figures"]
        self.assertEqual(figure["rows"], ["1", "4"])
        seconds, = (column["values"] for column in figure["columns"] if column["label"] == "espalier")
        self.assertGreater(min(seconds), 0)

    def test_no_run_of_a_simulated_figure_fails(self):
        for paper, figure, machine in (("swcholesky", "8,10", MACHINE), ("halo", "9", "ivb20c")):
            outcome = self.expect_success("reproduce", paper, "--figure", figure, "--matrices", "laplace2d:12", "--simulated", machine,
                                          "--workers", 2)
            self.assertNotIn("failed", outcome.out)

    def test_reproduces_with_the_best_number_of_processes_per_node(self):
        report = self.report_of("reproduce", "sympack", "--figure", "7,8", "--matrices", "laplace2d:20", "--simulated", "cluster",
                                "--workers", 2, "--nodes", "1,2", "--quiet")
        times = {}

        def column(figure, label):
            values, = (one["values"] for one in figure["columns"] if one["label"] == label)
            return values
        for run in report["runs"]:
            each = int(run["options"][run["options"].index("--ranks-per-node") + 1]) if "--ranks-per-node" in run["options"] else 1
            self.assertEqual((run["workers"], run["reports"][0]["machine"]["ranks"]), (2 / each, run["ranks"] * each))
            for phase in ("factor", "solve"):
                times[phase, run["policy"], run["ranks"], each] = run["reports"][0][phase]["seconds"]
        self.assertEqual(len(times), 2 * 3 * 2 * 2)
        for figure, phase in zip(report["figures"], ("factor", "solve")):
            for label, policy in (("fan-out", "as=sympack"), ("lws", "lws"), ("espalier", "espalier")):
                for nodes, best in zip((1, 2), column(figure, f"{label}: processes per node")):
                    self.assertIn(best, (1, 2))
                    self.assertEqual(times[phase, policy, nodes, best], min(times[phase, policy, nodes, each] for each in (1, 2)))
                    self.assertEqual(column(figure, label)[nodes - 1], times[phase, policy, nodes, best])

    def test_tunes_the_thresholds_of_a_policy(self):
        tune = ["tune", "laplace3d:10", "--sched", "fanout", "--machine", GPUS, "--cuda-devices", 1, "--iterations", 4]
        outcome = self.expect_success(*tune, timeout=200)
        self.assertEqual(self.expect_success(*tune, timeout=200).out, outcome.out, "simulated times and the search are the same")
        if "use:" in outcome.out:
            words = outcome.out.split("use:")[1].split()
            before, after = (self.simulated("laplace3d:10", "--machine", GPUS, "--cuda-devices", 1, *more)["simulated"]
                             for more in (["--sched", "fanout"], ["--sched", ":".join(["fanout", *words[3::2]])]))
            self.assertLess(after["makespan_seconds"], before["makespan_seconds"])

    def test_what_is_wrong_is_said_in_one_line(self):
        with self.subTest("no such machine"):
            self.expect_failure(3, "simulate", "laplace3d:9", "--machine", "nowhere", says=("nowhere", MACHINE))
        with self.subTest("damaged machine"):
            broken = self.write("machine.json", "{")
            self.expect_failure(3, "simulate", "laplace3d:9", "--machine", broken, says="machine.json")
        with self.subTest("more workers than cores"):
            self.expect_failure(2, "simulate", "laplace3d:9", "--machine", MACHINE, "--workers", 65, says="64 cores")
        with self.subTest("more devices than there are"):
            self.expect_failure(2, "simulate", "laplace3d:9", "--machine", GPUS, "--cuda-devices", "1,9", says="8 CUDA devices")
            self.expect_failure(2, "simulate", "laplace3d:9", "--machine", MACHINE, "--coprocessors", 1, says="0 coprocessors")
        with self.subTest("processes of one machine share its devices"):
            shared = self.machine(devices=[self.device()], one_machine=True)
            self.expect_failure(2, "simulate", "laplace3d:9", "--machine", shared, "--nodes", 3, "--workers", 2,
                                "--cuda-devices", 3, says="8 CUDA devices, fewer than 9")
        with self.subTest("two kinds of devices"):
            self.expect_failure(2, "simulate", "laplace3d:9", "--machine", GPUS, "--cuda-devices", 1, "--coprocessors", 1,
                                says="leave out")
        with self.subTest("a policy without the devices that it needs"):
            self.expect_failure(6, "simulate", "laplace3d:9", "--machine", GPUS, "--cuda-devices", "1,0", "--sched", "halo",
                                says="there are no devices")
        with self.subTest("a damaged device"):
            broken = self.machine(devices=[self.device(memory=0)])
            self.expect_failure(3, "simulate", "laplace3d:9", "--machine", broken, says=("machine.json", "memory"))
        with self.subTest("no description of this machine"):
            self.expect_failure(2, "simulate", "laplace3d:9", says="espalier calibrate --machine",
                                env=environment(XDG_DATA_HOME=self.folder))
        with self.subTest("no simulator"):
            self.expect_failure(2, "simulate", "laplace3d:9", "--machine", MACHINE, says="tools/setup.sh --simgrid",
                                env=environment(ESPALIER_SIMULATOR=self.folder / "none.so"))
        with self.subTest("no such policy"):
            self.expect_failure(6, "simulate", "laplace3d:9", "--machine", MACHINE, "--sched", "nobody", says="nobody")
        with self.subTest("no such matrix"):
            self.expect_failure(3, "simulate", "missing.mtx", "--machine", MACHINE, says="missing.mtx")
        with self.subTest("a matrix that is none"):
            damaged = self.write("damaged.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2\n")
            self.expect_failure(3, "simulate", damaged, "--machine", MACHINE, "--nodes", 2, says="damaged.mtx")


if __name__ == "__main__":
    if not BUILT.exists() and "ESPALIER_SIMULATOR" not in os.environ:
        skip(f"{BUILT} is not built; see CONTRIBUTING.md")
    main()
