#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The trace, the Gantt chart and the page of a solve."""
import json
import os
import re

from support.charts import read_page, task_rects
from support.program import ProgramTest, espalier, main

KINDS = ["diagonal", "factor", "update", "subtree", "assemble"]


class Trace(ProgramTest):
    def solve(self, *arguments):
        return self.report_of("solve", "laplace3d:14", "--workers", 2, "--granularity", "block", "--quiet", *arguments)

    def test_the_trace_has_every_task_and_the_phases(self):
        folder = self.folder / "new" / "trace"
        report = self.solve("--trace", folder, "--repeat", 2)
        self.assertEqual(self.files(), ["new", "new/trace", "new/trace/gantt.svg", "new/trace/trace.json"])
        events = json.loads((folder / "trace.json").read_text())["traceEvents"]
        tasks = [event for event in events if event.get("cat") == "task"]
        phases = {event["name"]: event for event in events if event.get("cat") == "phase"}
        for kind in KINDS:
            self.assertEqual(sum(event["name"] == kind for event in tasks), report["tasks"][kind], kind)
        self.expect_phases(report, phases)
        factorizing = phases["factorizing 2 times"]
        for event in tasks:
            self.assertEqual(event["ph"], "X")
            self.assertIn(event["tid"], (1, 2))
            self.assertGreaterEqual(event["ts"], factorizing["ts"])
            self.assertLessEqual(event["ts"] + event["dur"], factorizing["ts"] + factorizing["dur"] + 1)
            self.assertEqual(set(event["args"]), {"row", "column", "m", "n", "k", "flops", "predicted_us", "worker", "slices",
                                                  "on_device"})

    def expect_phases(self, report, phases):
        for name in ("reading", "analyzing", "ordering", "symbolic factorization", "setting up", "solving"):
            self.assertIn(name, phases)
            self.assertEqual(phases[name]["tid"], 0)
        self.assertAlmostEqual(phases["ordering"]["dur"], report["ordering"]["seconds"] * 1e6, places=1)
        end = {name: phase["ts"] + phase["dur"] for name, phase in phases.items()}
        self.assertLessEqual(end["symbolic factorization"], end["analyzing"])
        self.assertLessEqual(end["reading"], phases["analyzing"]["ts"])

    def test_the_gantt_chart_has_every_task_and_no_overlap(self):
        report = self.solve("--trace", self.folder)
        rects = task_rects((self.folder / "gantt.svg").read_text())
        self.assertEqual(len(rects), sum(report["tasks"][kind] for kind in KINDS))
        self.assertEqual(len({rect["y"] for rect in rects}), 2)
        rects.sort(key=lambda rect: (rect["y"], rect["x"]))
        for left, right in zip(rects, rects[1:]):
            if left["y"] == right["y"]:
                self.assertLessEqual(left["x"] + left["width"], right["x"] + 0.1)

    def test_the_page_has_every_task_and_needs_no_other_file(self):
        path = self.folder / "run.html"
        report = self.solve("--html", path)
        page = read_page(path.read_text())
        tasks = sum(report["tasks"][kind] for kind in KINDS)
        self.assertEqual(page.classes["rect", "task"], tasks)
        self.assertEqual(page.classes["circle", "task"], tasks)
        self.assertEqual(page.elements["svg"], 4)
        self.assertEqual(page.elements["figcaption"], 4)

    def test_the_page_has_phases_memory_and_the_source_of_costs(self):
        path = self.folder / "run.html"
        report = self.solve("--html", path)
        rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", path.read_text())]
        phases = {row[0]: row[1:] for row in rows if len(row) == 3}
        self.assertEqual(list(phases), ["reading", "ordering", "symbolic factorization", "set-up", "all factorizations", "solve",
                                        "check of the solution"])
        for row, phase in (("reading", "read"), ("set-up", "setup"), ("solve", "solve")):
            (peak,) = (noted["peak_rss_bytes"] for noted in report["memory"]["phases"] if noted["phase"] == phase)
            self.assertEqual(phases[row][1], f"{peak / 2**20:.1f} MiB")
        facts = {row[0]: row[1] for row in rows if len(row) == 2}
        self.assertIn(f"{report['memory']['peak_rss_bytes'] / 2**20:.1f} MiB at the peak", facts["memory"])
        self.assertIn(report["models"]["file"] or "built-in estimates", facts["time model"])

    def test_the_page_has_the_queues_of_fanout(self):
        path = self.folder / "run.html"
        report = self.solve("--html", path, "--sched", "fanout")
        page = read_page(path.read_text())
        (sizes,) = report["scheduler"]["queue_sizes"]
        self.assertEqual(page.classes["circle", "queue"], len(sizes["ltq"]) + len(sizes["rtq"]))
        self.assertEqual(page.elements["svg"], 5)

    def test_a_problem_too_small_for_starpu_has_charts_too(self):
        path = self.folder / "run.html"
        self.expect_success("solve", "laplace2d:1", "--quiet", "--html", path, "--trace", self.folder)
        self.assertEqual(read_page(path.read_text()).classes["rect", "task"], 1)

    def test_where_nothing_can_be_written(self):
        file = self.write("file", "")
        self.expect_failure(3, "solve", "laplace2d:3", "--trace", file / "in", says=str(file))
        self.expect_failure(3, "solve", "laplace2d:3", "--trace", file, says=str(file))
        self.expect_failure(3, "solve", "laplace2d:3", "--html", self.folder / "no" / "x.html", says="x.html")
        self.expect_failure(2, "solve", "laplace2d:3", "--report", file, "--html", file, says="same file")
        if os.geteuid() != 0:
            self.expect_failure(3, "solve", "laplace2d:3", "--trace", "/proc/trace", says="/proc/trace")

    def test_a_failure_leaves_nothing(self):
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 -1\n")
        outcome = espalier("solve", bad, "--trace", self.folder / "a" / "b", "--html", self.folder / "x.html")
        self.assertEqual(outcome.code, 4)
        self.assertEqual(self.files(), ["bad.mtx"])


if __name__ == "__main__":
    main()
