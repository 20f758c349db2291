#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The library that draws the tasks of a StarPU program, which StarPU loads because of STARPU_PROF_TOOL."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

from support.charts import SVG  # noqa: E402
from support.processes import ProcessTest  # noqa: E402


def run(program, *arguments, chart):
    # Otherwise workers of several tests share a core.
    env = {**os.environ, "STARPU_PROF_TOOL": os.environ["ESPALIER_TIMELINE_TOOL"], "STARPU_NCPU": "2", "STARPU_NCUDA": "0",
           "STARPU_WORKERS_NOBIND": "1", "STARPU_SCHED": "lws"}
    env.pop("ESPALIER_TIMELINE", None)
    if chart is not None:
        env["ESPALIER_TIMELINE"] = str(chart)
    return subprocess.run([os.environ[program], *arguments], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=100, check=False)


class Timeline(ProcessTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.chart = pathlib.Path(folder.name) / "chart.svg"

    def rects(self):
        picture = xml.etree.ElementTree.fromstring(self.chart.read_text())
        return [rect for rect in picture.iter(f"{SVG}rect") if rect.get("class") == "task"]

    def test_a_time_loop_has_the_tasks_of_the_application_and_of_the_solver(self):
        done = run("ESPALIER_TIME_LOOP", "3", chart=self.chart)
        self.assertEqual(done.returncode, 0, done.stderr)
        rects = self.rects()
        names = [re.match(r"(.+): [^:]+ on worker \d$", rect.find(f"{SVG}title").text)[1] for rect in rects]
        loops, steps, parts = 2, 3, 4
        self.assertEqual(names.count("application: assembly"), loops * steps * parts)
        self.assertEqual(names.count("application: energy"), loops * steps)
        self.assertEqual(names.count("take values"), loops * steps)
        self.assertLessEqual({"subtree", "forward", "backward"}, set(names))

    def test_tasks_of_a_worker_do_not_overlap(self):
        self.assertEqual(run("ESPALIER_TIME_LOOP", "3", chart=self.chart).returncode, 0)
        rows = {}
        for rect in self.rects():
            begin = float(rect.get("x"))
            rows.setdefault(rect.get("y"), []).append((begin, begin + float(rect.get("width"))))
        self.assertTrue(rows)
        for row in rows.values():
            row.sort()
            for (_, end), (begin, _) in zip(row, row[1:]):
                self.assertLessEqual(end, begin + 0.1)  # shorter tasks are drawn as wide as 0.05

    def test_a_chart_without_a_name(self):
        done = run("ESPALIER_TIME_LOOP", "1", chart=None)
        self.assertEqual(done.returncode, 2)
        self.assertIn("timeline: set ESPALIER_TIMELINE to the file for the chart", done.stderr)

    def test_a_chart_that_cannot_be_written(self):
        done = run("ESPALIER_TIME_LOOP", "1", chart="/no/such/folder/chart.svg")
        self.assertEqual(done.returncode, 2)
        self.assertIn("timeline: /no/such/folder/chart.svg: cannot be written; set ESPALIER_TIMELINE to another file", done.stderr)


if __name__ == "__main__":
    unittest.main()
