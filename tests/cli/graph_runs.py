#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Policies run files of task graphs in simulation, in the times of the files. Makespans agree with schedules by hand, and are never below
their bounds. A policy from another library runs, too. Wrong files end the program with one line."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support.program import PROGRAM, ProgramTest, environment, main

BUILT = pathlib.Path(os.environ.get("ESPALIER_SIMULATOR", pathlib.Path(PROGRAM).parent.parent / "simgrid/libespalier_simulated.so"))
ROOT = pathlib.Path(__file__).parents[2]
PATCHED = re.search(r"^readonly patched=(p\d+)$", (ROOT / "tools" / "setup.sh").read_text(), re.M)[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "espalier"
SIMULATED_STARPU = sorted(CACHE.glob(f"starpu-*-{PATCHED}-simgrid/lib/pkgconfig"))
SIMPLE = "eager,lws,dmdas,espalier"
ALL = "own,lws,prio,eager,dmda,dmdas"
ROUNDING = 1e-6
OVERHEAD = 1e-5  # maximum seconds that StarPU itself takes per task


def task(number, seconds, accesses, **more):
    kind = more.pop("kind", "update")
    seconds = seconds if isinstance(seconds, dict) else {"cpu": seconds}
    return {"id": number, "kind": kind, "row": number, "column": number, "m": 1, "n": 1, "k": 1, "square": 0, "flops": 1.0,
            "seconds": seconds, "kernel_seconds": seconds["cpu"], "priority": 1.0, "level": -1, "l_partition": -1, "w_partition": -1,
            "owner": -1, "accesses": accesses, **more}


def graph_of(tasks, edges, data, architectures=("cpu",)):
    pieces = [{"bytes": size, "row": k, "column": k} for k, size in enumerate(data)]
    return {"espalier_graph": 1, "program": "by hand", "matrix": {"name": "by hand", "n": 0, "nnz_lower": 0}, "ordering": "",
            "factor": {"nnz_l": 0, "flops": 0.0}, "plan": {"granularity": "", "workers": 1, "options": []},
            "times": {name: {"source": "", "file": "", "date": ""} for name in architectures},
            "data": pieces, "tasks": tasks, "edges": edges}


def fork_and_join(kind="subtree"):
    """Task 0 takes 1 s. Then two tasks of 2 s and 3 s add to the same data, and so exclude each other, and a third takes 4 s. At last task
    4 takes 1 s. One worker needs 11 s, and two workers 1 + 5 + 1 s."""
    tasks = [task(0, 1.0, [[0, "write"]], kind=kind), task(1, 2.0, [[1, "add"], [0, "read"]], kind=kind),
             task(2, 3.0, [[1, "add"], [0, "read"]], kind=kind), task(3, 4.0, [[2, "write"], [0, "read"]], kind=kind),
             task(4, 1.0, [[1, "read_write"], [2, "read"]], kind=kind)]
    return graph_of(tasks, [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 4]], [800, 800, 800])


class GraphRuns(ProgramTest):
    def file(self, graph, name="graph.json"):
        return self.write(name, json.dumps(graph))

    def compared(self, graph, *arguments, **options):
        """Returns the runs of a comparison on a graph, or on a file with a graph."""
        path = graph if isinstance(graph, pathlib.Path) else self.file(graph)
        out = self.folder / "runs.json"
        self.expect_success("compare", "--graph", path, "--quiet", "--json", out, *arguments, **options)
        return json.loads(out.read_text())["runs"]

    def analyzed(self, *arguments):
        path = self.folder / "tasks.json"
        self.expect_success("analyze", *arguments, "--graph", path, "--quiet")
        return path


@unittest.skipUnless(BUILT.exists(), "the simulator is not built")
class Simulated(GraphRuns):
    def test_makespans_by_hand(self):
        for run in self.compared(fork_and_join(), "--workers", "1,2", "--sched", SIMPLE):
            wanted, bound = {1: (11, 11), 2: (7, 6)}[run["workers"]]
            self.assertAlmostEqual(run["makespan_seconds"], wanted, delta=5 * OVERHEAD, msg=run)
            self.assertAlmostEqual(run["bound_seconds"], bound, delta=ROUNDING)
            self.assertAlmostEqual(run["bound_ratio"], wanted / bound, delta=5 * OVERHEAD)
            self.assertAlmostEqual(run["idle_share"], 1 - 11 / (run["workers"] * wanted), delta=5 * OVERHEAD)
            self.assertEqual(run["active"], run["policy"])

    def test_the_machine_adds_its_overhead_and_load(self):
        described = json.loads((ROOT / "perfmodels/machines/epyc-64.json").read_text())
        machine = self.write("machine.json", json.dumps({**described, "load": [[1, 2.0]]}))
        run, = self.compared(fork_and_join(), "--workers", 1, "--sched", "lws", "--machine", machine)
        self.assertAlmostEqual(run["makespan_seconds"], 22, delta=1e-3)
        self.assertGreater(run["makespan_seconds"], 22)
        self.assertLessEqual(run["bound_seconds"], run["makespan_seconds"])
        self.assertGreater(run["bound_seconds"], 21.9)

    def test_devices_run_tasks_in_their_times(self):
        tasks = [task(k, {"cpu": 10.0, "cuda": 1.0}, [[k, "read_write"]]) for k in range(4)]
        run, = self.compared(graph_of(tasks, [], [8] * 4, ("cpu", "cuda")), "--workers", 1, "--cuda-devices", 2, "--sched", "dmdas")
        self.assertAlmostEqual(run["makespan_seconds"], 2, delta=1e-3)
        self.assertAlmostEqual(run["bound_seconds"], 2 / 1.1, delta=0.1)  # a part of a task may be on the core
        self.assertLessEqual(run["bound_seconds"], run["makespan_seconds"])
        self.assertAlmostEqual(run["device_idle_share"], 0, delta=1e-3)
        self.assertAlmostEqual(run["idle_share"], 1, delta=1e-3)

    def test_the_bound_never_exceeds_the_makespan(self):
        for matrix, options in (("laplace3d:12", ("--granularity", "tile")), ("laplace3d:6", ("--granularity", "block")),
                                ("elasticity3d:5x5x5", ("--granularity", "panel"))):
            path = self.analyzed(matrix, *options, "--workers", 4)
            summary = json.loads(path.read_text())["summary"]
            work, tasks = summary["work_seconds"], summary["tasks"]
            for machine in ((), ("--machine", "epyc-64")):
                runs = self.compared(path, "--workers", "1,3,4", "--sched", ALL, *machine)
                self.assertEqual(len(runs), 3 * 10)
                for run in runs:
                    self.assertGreaterEqual(run["bound_ratio"], 1 - ROUNDING, (matrix, machine, run))
                    if not machine:  # even one worker alone takes no longer, except for the overhead
                        self.assertLess(run["makespan_seconds"], work + OVERHEAD * tasks, (matrix, run))

    def test_a_run_repeats(self):
        path = self.analyzed("laplace3d:12", "--granularity", "tile", "--workers", 4)
        self.assertEqual(*(self.compared(path, "--workers", 4, "--sched", "espalier,fanout") for _ in range(2)))

    def test_the_default_is_the_number_of_workers_of_the_file(self):
        run, = self.compared(self.analyzed("laplace3d:8", "--workers", 3), "--sched", "lws")
        self.assertEqual(run["workers"], 3)

    def test_the_table_has_a_line_per_policy(self):
        outcome = self.expect_success("compare", "--graph", self.file(fork_and_join()), "--workers", 2, "--sched", "lws,eager")
        self.assertIn("by hand: 5 tasks, 6 edges, on an ideal machine", outcome.out)
        for policy in ("lws", "eager"):
            self.assertRegex(outcome.out, rf"(?m)^{policy} +2 +0 +7\.00 s +1\.000 +6\.00 s +1\.167 ")

    @unittest.skipUnless(shutil.which("cc") and SIMULATED_STARPU, "no StarPU for SimGrid")
    def test_a_policy_of_another_library_runs(self):
        flags = subprocess.run(["pkg-config", "--cflags", "starpu-1.4"], env=environment(PKG_CONFIG_PATH=SIMULATED_STARPU[-1]), check=True,
                               capture_output=True, text=True).stdout.split()
        library = self.folder / "liblast_first.so"
        source = pathlib.Path(__file__).parent / "foreign_policy" / "last_first.c"
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library, *flags], check=True)
        for run in self.compared(fork_and_join(), "--workers", "1,2", "--sched", "last_first,lws", env=environment(
                STARPU_SCHED_LIB=library)):
            self.assertEqual(run["active"], run["policy"])
            self.assertAlmostEqual(run["makespan_seconds"], {1: 11, 2: 7}[run["workers"]], delta=5 * OVERHEAD)
        self.expect_failure(6, "compare", "--graph", self.file(fork_and_join()), "--sched", "first_last",
                            env=environment(STARPU_SCHED_LIB=library), says="first_last")

    def test_devices_need_times_in_the_file_and_a_machine_with_room(self):
        path = self.file(fork_and_join())
        self.expect_failure(2, "compare", "--graph", path, "--cuda-devices", 1, "--workers", 1, says="no times on cuda devices")
        self.expect_failure(2, "compare", "--graph", path, "--workers", 65, "--machine", "epyc-64", says="64 cores")
        self.expect_failure(3, "compare", "--graph", path, "--machine", "cray", says=["cray", "epyc-64"])
        self.expect_failure(2, "compare", "--graph", path, "--sched", "as=sympack", says=["as=sympack", "a graph has its own tasks"])


class Refused(GraphRuns):
    def refuse(self, says, **changes):
        self.expect_failure(3, "compare", "--graph", self.file({**fork_and_join(), **changes}), says=["graph.json", says])

    def test_broken_files(self):
        self.expect_failure(3, "compare", "--graph", self.folder / "none.json", says=["none.json", "cannot be read"])
        self.expect_failure(3, "compare", "--graph", self.write("cut.json", json.dumps(fork_and_join())[:300]), says=["cut.json", "damaged"])
        self.refuse("another version", espalier_graph=2)
        self.refuse("task 4 back to task 0, so the graph may have a cycle", edges=[[4, 0]])
        self.refuse("does not follow from their accesses", edges=[[1, 2]])
        self.refuse("time of -1 for task 0", tasks=[task(0, -1.0, [])], edges=[])

    def test_unknown_policies(self):
        self.expect_failure(6, "compare", "--graph", self.file(fork_and_join()), "--sched", "lsw", says=["lsw", "did you mean lws"])

    def test_options_without_a_meaning(self):
        path = self.file(fork_and_join())
        for words in (("laplace2d:3",), ("--ranks", 2), ("--repeat", 3), ("--csv", self.folder / "a"), ("--html", self.folder / "a"),
                      ("--granularity", "tile"), ("--sched", "lws", "--baseline", "lws")):
            self.expect_failure(2, "compare", *words, "--graph", path, says="has no meaning with --graph")
        self.expect_failure(2, "compare", "laplace2d:3", "--machine", "epyc-64", says="--machine needs --graph")
        self.expect_failure(2, "compare", "--graph", path, "--json", path, says="same file")

    def test_the_simulator_must_be_built(self):
        self.expect_failure(2, "compare", "--graph", self.file(fork_and_join()), env=environment(ESPALIER_SIMULATOR="/none.so"),
                            says="the simulator is not built")


if __name__ == "__main__":
    main()
