#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of task graphs have the planned tasks, and their edges follow from the accesses to data. Graphviz and StarPU read them."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from support.coprocessors import write_costs
from support.program import PROGRAM, ProgramTest, environment, main

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "espalier"
REPLAYS = sorted(CACHE.glob("starpu-*-simgrid/bin/starpu_replay"))

CASES = (("laplace3d:10", "--granularity", "block"), ("laplace3d:16", "--granularity", "tile", "--workers", 4),
         ("elasticity3d:6x6x6", "--granularity", "panel", "--subtrees-per-worker", 8), ("laplace2d:5",))


def edges_by_accesses(tasks):
    """Returns the edges between tasks by the definition: a task waits for the last tasks that accessed its data in another way. Reads do
    not wait for reads, and additions do not wait for additions."""
    edges = set()
    groups = collections.defaultdict(list)  # for each piece of data, groups of tasks without an order: (mode, tasks)
    for task in tasks:
        for data, mode in task["accesses"]:
            before = groups[data]
            if mode not in ("read", "add") or not before or before[-1][0] != mode:
                before.append((mode, []))
            before[-1][1].append(task["id"])
            if len(before) > 1:
                edges.update((earlier, task["id"]) for earlier in before[-2][1])
    return edges


def critical_path(graph):
    path = [task["seconds"]["cpu"] for task in graph["tasks"]]
    for begin, end in sorted(map(tuple, graph["edges"]), reverse=True):
        path[begin] = max(path[begin], graph["tasks"][begin]["seconds"]["cpu"] + path[end])
    return max(path, default=0)


class Graphs(ProgramTest):
    def analyzed(self, *arguments, file="graph.json"):
        """Returns the graph and the report of an analysis."""
        path = self.folder / file
        report = self.report_of("analyze", *arguments, "--graph", path, "--quiet")
        return (json.loads(path.read_text()) if file.endswith("json") else path.read_text()), report

    def test_tasks_are_those_of_the_report(self):
        for case in CASES:
            graph, report = self.analyzed(*case)
            counts = collections.Counter(task["kind"] for task in graph["tasks"])
            for kind in ("diagonal", "factor", "update", "subtree", "assemble", "reduce", "fill"):
                self.assertEqual(counts[kind], report["tasks"][kind], (case, kind))
            self.assertEqual(sum(counts.values()), graph["summary"]["tasks"])
            # The operations of the POTRF of a block of n columns leave out n / 6 (base/dense.hpp).
            flops = sum(task["flops"] for task in graph["tasks"]) + report["matrix"]["n"] / 6
            self.assertAlmostEqual(flops / report["symbolic"]["flops"], 1, delta=1e-12)
            self.assertEqual(graph["matrix"]["n"], report["matrix"]["n"])
            self.assertEqual(graph["factor"]["nnz_l"], report["symbolic"]["nnz_l"])
            self.assertEqual(graph["times"]["cpu"]["source"], report["models"]["source"])

    def test_edges_follow_from_the_accesses(self):
        for case in CASES:
            graph, _ = self.analyzed(*case)
            edges = {tuple(edge) for edge in graph["edges"]}
            self.assertEqual(len(edges), len(graph["edges"]))
            self.assertEqual(len(edges), graph["summary"]["edges"])
            self.assertTrue(all(begin < end for begin, end in edges), "a cycle may exist")
            self.assertEqual(edges, edges_by_accesses(graph["tasks"]))

    def test_the_summary_has_the_critical_path_and_the_work(self):
        for case in CASES:
            graph, _ = self.analyzed(*case)
            work = sum(task["seconds"]["cpu"] for task in graph["tasks"])
            self.assertAlmostEqual(graph["summary"]["critical_path_seconds"] / critical_path(graph), 1, delta=1e-12)
            self.assertAlmostEqual(graph["summary"]["work_seconds"] / work, 1, delta=1e-12)
            self.assertLessEqual(graph["summary"]["critical_path_seconds"], work * (1 + 1e-12))
            longest = max((task["priority"] for task in graph["tasks"]), default=0)
            self.assertGreaterEqual(longest, critical_path(graph) * (1 - 1e-5))

    def test_the_program_prints_the_critical_path(self):
        path = self.folder / "graph.json"
        outcome = self.expect_success("analyze", "laplace3d:16", "--granularity", "tile", "--graph", path)
        summary = json.loads(path.read_text())["summary"]
        self.assertIn(f"{summary['tasks']} tasks, {summary['edges']} edges", outcome.out)
        printed = re.search(r"critical path ([\d.]+) (us|ms|s), parallelism ([\d.]+)", outcome.out)
        seconds = float(printed[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1}[printed[2]]
        self.assertAlmostEqual(seconds / summary["critical_path_seconds"], 1, delta=0.1)
        self.assertAlmostEqual(float(printed[3]), summary["work_seconds"] / summary["critical_path_seconds"], delta=0.051)

    def test_options_shape_the_graph_and_are_named_in_it(self):
        graph, report = self.analyzed("laplace3d:8", "--granularity", "block", "--workers", 6, "--ordering", "amd")
        self.assertEqual(graph["plan"], {"granularity": "block", "workers": 6, "options":
                                         ["--granularity", "block", "--workers", "6", "--ordering", "amd"]})
        self.assertEqual(graph["ordering"], report["ordering"]["method"])
        self.assertEqual({task["owner"] for task in graph["tasks"]}, set(range(6)))
        self.assertGreater(max(task["level"] for task in graph["tasks"]), 0)

    def test_tasks_have_times_on_calibrated_devices(self):
        costs = write_costs(self.folder, 1e-9, architecture="cuda")
        graph = self.folder / "graph.json"
        self.expect_success("analyze", "laplace3d:8", "--granularity", "block", "--quiet", "--graph", graph,
                            env=environment(XDG_DATA_HOME=self.folder))
        graph = json.loads(graph.read_text())
        self.assertEqual(graph["times"]["cuda"], {"source": "calibrated", "file": str(costs), "date": ""})
        self.assertNotIn("coprocessor", graph["times"])
        for task in graph["tasks"]:
            self.assertAlmostEqual(task["seconds"]["cuda"], 1e-9 * task["flops"], delta=1e-9 * task["flops"])

    def test_graphviz_reads_the_dot_file(self):
        text, report = self.analyzed("laplace3d:6", "--granularity", "block", file="graph.dot")
        nodes = re.findall(r"^ t\d+ \[[^\n]*\];$", text, re.M)
        self.assertEqual(len(nodes), sum(report["tasks"][kind] for kind in ("diagonal", "factor", "update")))
        for line in text.splitlines():
            self.assertRegex(line, r"\A(digraph tasks \{| node \[[^\]]*\];| t\d+ \[[^\]]*\];| t\d+ -> \{( t\d+)+ \};|\})\Z")
        if shutil.which("dot"):
            drawn = subprocess.run(["dot", "-Tplain", "-Gnslimit=0.1"], input=text, capture_output=True, text=True, check=True)
            self.assertEqual(drawn.stdout.count("\nnode "), len(nodes))

    def simulated_cores(self, cores):
        """Writes the files in which StarPU describes a simulated machine without devices. Returns their folder."""
        bus = self.folder / "machine" / "bus"
        bus.mkdir(parents=True)
        hosts = "".join(f'<host id="{name}" speed="1Gf"/>' for name in ("MAIN", "RAM", *(f"CPU{k}" for k in range(cores))))
        (bus / "m.platform.v4.xml").write_text(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            f'<platform version="4.1"><zone id="all" routing="Full">{hosts}</zone></platform>\n')
        (bus / "m.config").write_text(f"{cores} # CPUs\n1 # memories\n0 # CUDA devices\n" + "0\n" * 6)
        for name in ("latency", "bandwidth"):
            (bus / f"m.{name}").write_text("# to NUMA 0\t\n0\tnan\t\n0\tnan\t\n")
        return bus.parent

    @unittest.skipUnless(REPLAYS, "no StarPU for SimGrid")
    def test_starpu_replays_the_rec_file(self):
        self.analyzed("laplace3d:16", "--granularity", "tile", "--workers", 4, file="tasks.rec")
        graph, _ = self.analyzed("laplace3d:16", "--granularity", "tile", "--workers", 4)
        machine = self.simulated_cores(4)
        for cores, wanted in ((1, graph["summary"]["work_seconds"]), (4, graph["summary"]["critical_path_seconds"])):
            run = subprocess.run([REPLAYS[-1], self.folder / "tasks.rec"], capture_output=True, text=True, check=True, env=environment(
                STARPU_PERF_MODEL_DIR=machine, STARPU_HOSTNAME="m", STARPU_PERF_MODEL_PATH=self.folder / "tasks.rec.models",
                STARPU_NCPU=cores, STARPU_SCHED="dmdas"))
            seconds = 1e-3 * float(re.search(r"^([\d.]+) ms", run.stdout, re.M)[1])
            overhead = 1e-5 * graph["summary"]["tasks"]
            self.assertGreater(seconds, wanted * (1 - 1e-5))
            self.assertLess(seconds, graph["summary"]["work_seconds"] / cores + graph["summary"]["critical_path_seconds"] + overhead)

    def test_one_command_writes_graphs_and_their_table(self):
        script = pathlib.Path(__file__).parents[2] / "tools" / "bench" / "graphs.py"
        arguments = [sys.executable, "-B", script, self.folder / "graphs", "--only", "laplace3d-8", "--format", "dot"]
        run = subprocess.run([*arguments, "--espalier", PROGRAM], capture_output=True, text=True, check=True)
        self.assertEqual(self.files(), ["graphs", "graphs/laplace3d-8-block.dot", "graphs/laplace3d-8-panel.dot"])
        graph, _ = self.analyzed("laplace3d:8", "--granularity", "block", "--workers", 8)
        line, = (line.split() for line in run.stdout.splitlines() if line.startswith("laplace3d:8 ") and "block" in line)
        summary = graph["summary"]
        self.assertEqual(line[2:6], [str(n) for n in (512, summary["tasks"], summary["edges"], summary["widest_level"])])
        self.assertAlmostEqual(float(line[-1]), summary["work_seconds"] / summary["critical_path_seconds"], delta=0.051)
        self.assertEqual(subprocess.run([*arguments, "--espalier", "/none"], capture_output=True).returncode, 1)

    def test_other_endings_are_refused(self):
        for name in ("graph.png", "graph", "graph.json.txt"):
            self.expect_failure(2, "analyze", "laplace2d:5", "--graph", self.folder / name, says=["--graph", ".json, .dot or .rec"])

    def test_files_that_cannot_be_written_are_refused_early(self):
        self.expect_failure(3, "analyze", "laplace2d:5", "--graph", self.folder / "missing" / "graph.json", says="missing")
        self.expect_failure(2, "analyze", "laplace2d:5", "--graph", self.folder / "a.json", "--report", self.folder / "a.json",
                            says=["--report and --graph are the same file"])

    def test_a_failed_analysis_leaves_no_graph(self):
        self.expect_failure(3, "analyze", self.write("a.mtx", "nonsense\n"), "--graph", self.folder / "graph.json")


if __name__ == "__main__":
    main()
