#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tuning: the result, its file, the commands that use it, the options that override it, and the input that is refused."""
import json

from support.own_files import TUNING_DEFAULTS as DEFAULTS
from support.own_files import own_file, tuning
from support.program import ProgramTest, environment, main
from support.ranks import MPIRUN, on_ranks

WORKERS = 2


def table(outcome):
    """Returns a table by the first word of each line."""
    return {line.split()[0]: line.split()[1:] for line in outcome.out.splitlines() if line.strip()}


class Tune(ProgramTest):
    def setUp(self):
        super().setUp()
        self.env = environment(XDG_DATA_HOME=self.folder)
        self.file = own_file(self.folder, f"tuning-{WORKERS}")

    def tune(self, *arguments, **options):
        return self.expect_success("tune", *arguments, "--workers", WORKERS, timeout=100, **{"env": self.env, **options})

    def keep(self, cpu=None, **parameters):
        """Writes a tuning file with these parameters."""
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(json.dumps(tuning(WORKERS, cpu, **parameters)))

    def structure(self, *arguments, workers=WORKERS, command="solve"):
        """Returns (the tuning in the report, supernodes, blocks, tasks)."""
        report = self.report_of(command, "laplace3d:14", "--workers", workers, *arguments, env=self.env)
        tasks = sum(report["tasks"][kind] for kind in ("diagonal", "factor", "update", "subtree", "assemble"))
        return report["tuning"], report["symbolic"]["supernodes"], report["symbolic"]["blocks"], tasks

    def test_keeps_what_is_faster_else_the_defaults(self):
        outcome = self.tune("laplace3d:12", "irregular2d:4000", "--time", 2, "--repeat", 3)
        if self.file.exists():
            kept = json.loads(self.file.read_text())
            self.assertEqual(kept["matrices"], ["laplace3d:12", "irregular2d:4000"])
            self.assertGreaterEqual(kept["measured_gain"], 0.005)
            self.assertIn(f"written to {self.file}", outcome.out)
            self.assertEqual(self.structure()[0], {"source": "tuned", "file": str(self.file)})
        else:
            self.assertIn("the defaults are kept", outcome.out)
            self.assertEqual(self.structure()[0], {"source": "defaults", "file": ""})
            self.assertEqual(self.files(), [])

    def test_shows_what_was_found_and_what_it_brings(self):
        outcome = self.tune("laplace3d:14", "--iterations", 60, "--repeat", 3)
        if "nothing" in outcome.out:
            self.skipTest("nothing was predicted to be better on this machine")
        lines = table(outcome)
        for name, value in DEFAULTS.items():
            self.assertEqual(lines[name][0], "any" if value == 2147483647 else f"{value:g}")
            self.assertEqual(len(lines[name]), 2)
        self.assertEqual(len(lines["laplace3d:14"]), 2 * 2 + 2 + 2 * 2 + 2, "two times and a gain, predicted and measured")

    def test_is_the_same_for_the_same_seed_and_iterations(self):
        def found(seed):
            lines = table(self.tune("laplace3d:14", "--iterations", 80, "--seed", seed, "--rounds", 1, "--repeat", 1))
            return [lines.get(name) for name in DEFAULTS], lines.get("laplace3d:14", [])[:6]
        self.assertEqual(found(1), found(1))

    def test_searches_as_the_paper_does(self):
        ranges = [(1, 512)] * 3 + [(513, 1023)] + [(0.81, 0.99)] + [(0.01, 0.99)] * 3
        options = ["--objective", "paper", "--iterations", 100, "--rounds", 1, "--repeat", 1]
        lines = table(self.tune("laplace3d:10", *options))
        for name, (lowest, highest) in zip(DEFAULTS, ranges):
            self.assertLessEqual(lowest, float(lines[name][1]), name)
            self.assertGreaterEqual(highest, float(lines[name][1]), name)
        for name in ("panel_width", "narrow_panel_width", "subtrees_per_worker", "tile_rows"):
            self.assertEqual(lines[name][1], lines[name][0])
        for name in ("trsm_panel", "potrf_panel"):
            self.assertIn(lines[name][1], ("64", "128", "256", "512", "1024"))
        again = table(self.tune("laplace3d:10", *options))
        self.assertEqual(again["potrf_panel"], lines["potrf_panel"])
        self.expect_failure(2, "tune", "laplace3d:5", "--objective", "nosuch", says=("--objective", "nosuch"), env=self.env)

    def test_measures_other_kernels_for_a_named_file_only(self):
        self.expect_failure(2, "tune", "laplace3d:5", "--kernels", "own", says=("--kernels", "--out", "--tuning"), env=self.env)
        here = self.folder / "here.json"
        self.tune("laplace3d:8", "--kernels", "own", "--objective", "paper", "--iterations", 20, "--rounds", 1, "--repeat", 1,
                  "--out", here)
        self.assertFalse(self.file.exists())

    def test_a_named_one_sets_the_panels_of_kernels(self):
        here = self.write("here.json", json.dumps(tuning(WORKERS, trsm_panel=64, potrf_panel=1024)))
        report = self.report_of("solve", "laplace3d:12", "--kernels", "own", "--tuning", here, "--workers", 1, env=self.env)
        self.expect_accurate(report)
        wrong = self.write("wrong.json", json.dumps(tuning(WORKERS, trsm_panel=100)))
        self.expect_failure(3, "solve", "laplace3d:5", "--tuning", wrong, says=("wrong.json", "trsm_panel is 100"), env=self.env)

    def test_searches_the_options_of_a_scheduler(self):
        outcome = self.tune("laplace3d:8", "--sched", "ktq:limits=size", "--iterations", 4, "--repeat", 1)
        lines = table(outcome)
        if "nothing" not in lines and "not" not in lines:
            self.assertEqual(lines["dpq_size"][0], "128")
            self.assertIn("use: --sched ktq --sched-option limits=size", outcome.out)
            self.expect_success("solve", "laplace3d:8", *lines["use:"], env=self.env)
        self.assertFalse(self.file.exists())

    def test_refuses_searches_without_an_object(self):
        for arguments, says in ((["--sched", "lws"], "no numeric option"), (["--sched", "nosuch"], "nosuch"),
                                (["--machine", "cluster"], "--sched"),
                                (["--sched", "ktq", "--out", self.folder / "x.json"], "--out"),
                                (["--sched", "ktq", "--kernels", "own"], "--kernels")):
            code = 6 if says == "nosuch" else 2
            self.expect_failure(code, "tune", "laplace2d:5", *arguments, says=says, env=self.env)

    def test_of_a_tuning_each_analysis_makes_use(self):
        default = self.structure()
        self.assertEqual(default[0], {"source": "defaults", "file": ""})
        self.keep(amalgamation_width_1=2, amalgamation_zeros_2=0, amalgamation_zeros_3=0, panel_width=16)
        tuned = self.structure()
        self.assertEqual(tuned[0], {"source": "tuned", "file": str(self.file)})
        self.assertGreater(tuned[1], default[1])
        self.assertEqual(self.structure(command="analyze"), tuned)
        self.file.unlink()
        self.assertEqual(self.structure(), default)

    def test_a_named_one_is_used_before_what_is_kept(self):
        here = self.folder / "here.json"
        here.write_text(json.dumps(tuning(7, "Another CPU", panel_width=16, subtrees_per_worker=9)))
        default = self.structure()
        self.keep(amalgamation_width_1=2, panel_width=64)
        for command in ("solve", "analyze"):
            self.assertEqual(self.structure("--tuning", "none", command=command), default)
            source, *named = self.structure("--tuning", here, command=command)
            self.assertEqual(source, {"source": "tuned", "file": str(here)})
            self.assertEqual(named, list(self.structure("--tuning", "none", "--panel-width", 16)[1:3]) + named[2:])
            self.assertGreater(named[2], default[3])
        self.assertEqual(self.structure("--tuning", here)[1:], self.structure("--tuning", here, command="analyze")[1:])

    def test_a_named_one_is_used_by_deterministic_runs_too(self):
        here = self.folder / "here.json"
        here.write_text(json.dumps(tuning(7, panel_width=16, subtrees_per_worker=9)))
        default = self.structure("--deterministic")
        source, *named = self.structure("--deterministic", "--tuning", here)
        self.assertEqual(source["file"], str(here))
        self.assertEqual(named, list(self.structure("--deterministic", "--panel-width", 16, "--subtrees-per-worker", 9)[1:]))
        self.assertNotEqual(named, list(default[1:]))

    def test_a_named_one_has_to_be_sound(self):
        damaged = self.write("damaged.json", json.dumps(tuning(WORKERS, tile_rows=-1)))
        missing = self.folder / "missing.json"
        for command in (["solve"], ["solve", "--deterministic"], ["analyze"], ["compare", "--sched", "lws"]):
            self.expect_failure(3, *command, "laplace2d:3", "--tuning", damaged, says=(str(damaged), "tile_rows"), env=self.env)
            self.expect_failure(3, *command, "laplace2d:3", "--tuning", missing, says=str(missing), env=self.env)

    def test_a_named_one_is_no_output(self):
        here = self.write("here.json", json.dumps(tuning(WORKERS)))
        for command, option in (("solve", "--report"), ("analyze", "--report"), ("compare", "--csv")):
            self.expect_failure(2, command, "laplace2d:3", "--tuning", here, option, here, says=("--tuning", option))
        self.expect_success("solve", "laplace2d:3", "--tuning", "none", "--quiet")

    def test_compares_with_a_named_one(self):
        here = self.write("here.json", json.dumps(tuning(7, panel_width=16)))
        runs = self.folder / "runs.json"
        self.expect_success("compare", "laplace2d:9", "--sched", "lws", "--repeat", 1, "--tuning", here, "--json", runs, env=self.env)
        matrix, = json.loads(runs.read_text())["matrices"]
        self.assertEqual(matrix["tuning"], {"source": "tuned", "file": str(here)})

    def test_of_tasks_too(self):
        arguments = ["--granularity", "tile"]
        default = self.structure(*arguments)
        self.keep(tile_rows=8)
        tuned = self.structure(*arguments)
        self.assertEqual(tuned[1:3], default[1:3])
        self.assertGreater(tuned[3], default[3])
        self.assertEqual(self.structure(*arguments, "--tile-rows", 512)[1:], default[1:])

    def test_options_go_before_it(self):
        default = self.structure()
        self.keep(amalgamation_width_1=2, amalgamation_zeros_2=0, amalgamation_zeros_3=0, panel_width=16,
                  narrow_panel_width=16, subtrees_per_worker=9)
        self.assertNotEqual(self.structure()[1:], default[1:])
        options = ["--amalgamation-widths", "8,16,32,2147483647", "--panel-width", 256, "--narrow-panel-width", 128,
                   "--subtrees-per-worker", 3]
        self.assertEqual(self.structure(*options)[1:], default[1:])

    def test_serves_as_many_workers_as_it_was_found_with_and_no_deterministic_runs(self):
        before = [self.structure("--deterministic"), self.structure(workers=1)]
        self.keep(amalgamation_width_1=2, panel_width=16)
        self.assertEqual([self.structure("--deterministic"), self.structure(workers=1)], before)
        self.assertEqual(before[0][0]["source"], "defaults")

    def test_of_its_own_a_solve_finds_one_and_uses_it(self):
        report = self.report_of("solve", "elasticity3d:14x14x14", "--workers", 1, "--tune", "--repeat", 2, env=self.env)
        tune = report["tune"]
        self.expect_accurate(report)
        self.assertEqual(set(tune["parameters"]), set(DEFAULTS) - {"trsm_panel", "potrf_panel"}, "plans do not depend on these")
        self.assertGreater(tune["tunings"], 1)
        self.assertLessEqual(tune["seconds"], 4 * max(tune["predicted_before"], report["factor"]["seconds"]))
        self.assertLessEqual(tune["predicted_after"], tune["predicted_before"])
        self.assertEqual(report["symbolic"]["predicted_factor_seconds"], tune["predicted_after"])
        self.assertEqual(len(report["factor"]["runs"]), 2)
        found = tune["predicted_after"] < tune["predicted_before"]
        self.assertEqual(report["tuning"], {"source": "searched" if found else "defaults", "file": ""})
        if not found:
            self.assertEqual(tune["parameters"], DEFAULTS)
        self.assertEqual(self.files(), [], "it is kept for no other solve")

    def test_of_its_own_begins_with_what_is_kept(self):
        self.keep(panel_width=16, narrow_panel_width=16)
        report = self.report_of("solve", "laplace2d:9", "--workers", WORKERS, "--tune", env=self.env)
        self.assertEqual(report["tuning"]["source"], "tuned")
        self.assertEqual(report["tune"]["tunings"], 0, "a factorization takes no time")
        self.assertEqual(report["tune"]["parameters"]["panel_width"], 16)
        self.assertNotIn("tune", self.report_of("solve", "laplace2d:9", env=self.env))
        out = self.expect_success("solve", "laplace2d:9", "--tune", env=self.env).out
        self.assertRegex(out, r"(?m)^tuned +not at all")
        self.assertRegex(self.expect_success("solve", "laplace3d:20", "--tune", env=self.env).out, r"(?m)^tuned +\d+ evaluations? in ")

    def test_of_its_own_is_refused_where_it_is_not_predicted(self):
        for other in (["--deterministic"], ["--coprocessors", 1], ["--cuda-devices", 1], ["--panel-width", 64], ["--tuning", "none"],
                      ["--amalgamation-widths", "8,16,32,64"], ["--tile-rows", 64]):
            self.expect_failure(2, "solve", "laplace2d:3", "--tune", *other, says=("--tune", other[0]))
        self.expect_failure(2, "solve", "laplace2d:3", "--tune", "--ordering", "ptscotch", says=("--tune", "leave it out"))
        if MPIRUN is not None:
            run = on_ranks(2, "solve", "laplace2d:3", "--tune")
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("--tune predicts factorizations of one process", run.stderr)

    def test_does_not_change_the_ordering(self):
        def ordering():
            report = self.report_of("analyze", "laplace3d:12", "--workers", WORKERS, "--amalgamation-widths", "0,0,0,0",
                                    "--amalgamation-zeros", "0,0,0,0", env=self.env)
            return report["ordering"]["method"], report["symbolic"]["nnz_l"]
        default = ordering()
        self.keep(panel_width=16, amalgamation_width_1=1000)
        self.assertEqual(ordering(), default)

    def test_one_of_another_processor_is_passed_over(self):
        self.keep(cpu="Another CPU", panel_width=16)
        self.assertEqual(self.structure()[0]["source"], "defaults")

    def test_a_damaged_one_is_replaced(self):
        self.keep(tile_rows=-1)
        default = self.structure()
        self.assertEqual(default[0], {"source": "defaults", "file": ""})
        self.tune("laplace2d:3", "--iterations", 1, "--quiet")
        self.assertFalse(self.file.exists())
        self.assertEqual(self.structure(), default)

    def test_goes_to_another_file_where_told(self):
        out = self.folder / "here" / "tuning.json"
        outcome = self.tune("laplace3d:12", "--iterations", 50, "--repeat", 3, "--out", out)
        self.assertEqual(out.exists(), f"written to {out}" in outcome.out)
        self.assertFalse(self.file.exists())

    def test_defaults_that_are_kept_replace_what_was_kept_before(self):
        self.keep(panel_width=16)
        outcome = self.tune("laplace2d:3", "--iterations", 1)
        self.assertIn(f"the defaults are kept; removed {self.file}", outcome.out)
        self.assertFalse(self.file.exists())

    def test_what_is_refused(self):
        self.expect_failure(2, "tune", says="MATRIX", env=self.env)
        self.expect_failure(2, "tune", "laplace2d:3", "--time", 0, says="1 to 86400", env=self.env)
        self.expect_failure(3, "tune", "nosuch.mtx", says="nosuch.mtx", env=self.env)
        self.expect_failure(2, "tune", "laplace2d:3", says="--out FILE", env=environment(XDG_DATA_HOME=None, HOME=None))


if __name__ == "__main__":
    main()
