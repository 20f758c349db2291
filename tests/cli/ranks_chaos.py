#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Three ranks, of which some are killed, stopped or interrupted, or find the disk full, at random points: all end in time,
with a promised code and one message, and nothing is left of them. ESPALIER_CHAOS=500 makes as many runs, without it there are
none; a failure says how to repeat it."""
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import tempfile
import time

from support.program import ProgramTest, main, skip
from support.rank_run import FULL_DISK, RANKS, SOON, Run
from support.ranks import MPIRUN

WATCHDOG = 1  # seconds
LONGEST = 3.0  # seconds until the fault
MPIRUNS_TIME = 5  # seconds
BAD_OUTPUT, FAILED = 3, 7
Ending = collections.namedtuple("Ending", "codes messages cleans", defaults=(1, True))
PROBLEMS = (["laplace2d:60", "--repeat", "1000000"], ["laplace3d:14", "--repeat", "1000000", "--mapping", "block-cyclic"],
            ["laplace2d:15", "--nrhs", "20000"], ["laplace3d:12", "--granularity", "block", "--mapping", "block-cyclic"],
            ["irregular2d:20000", "--sched", "fanout"], ["elasticity3d:5x5x5", "--repeat", "50"])


class Chaos(ProgramTest):
    def setUp(self):
        """All temporary files of a run, and the memory that its ranks share, are in one folder."""
        super().setUp()
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix="chaos")) / "tmp"
        self.addCleanup(shutil.rmtree, self.temporary.parent)
        os.environ["TMPDIR"] = str(self.temporary)
        self.addCleanup(os.environ.pop, "TMPDIR")

    def fault(self, draw, run):
        """Does one thing to the run. Returns the codes that it may then end with, how many messages it may have, and
        whether it leaves nothing: Open MPI's launcher, when it is killed itself, removes nothing."""
        victims = draw.sample(range(RANKS), draw.choice((1, 1, 2)))
        what = draw.choice(("kill", "kill", "kill", "stop", "terminate", "interrupt all", "kill launcher"))
        if what == "interrupt all":
            run.process.send_signal(signal.SIGINT)
            return Ending({1, -signal.SIGINT, 128 + signal.SIGINT})
        if what == "kill launcher":
            run.process.kill()
            return Ending({-signal.SIGKILL}, cleans=False)
        number = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "terminate": signal.SIGTERM}[what]
        run.send(number, *victims)
        if what == "stop":
            return Ending({FAILED})
        return Ending({128 + number}, messages=len(victims) if what == "terminate" else 1)

    def expect_whole(self, file):
        """Expects as many numbers as the file announces."""
        with file.open() as lines:
            next(lines)
            rows, columns = map(int, next(lines).split())
            self.assertEqual(len([float(line) for line in lines]), rows * columns)

    def continue_the_last(self, run):
        """Nobody misses a rank that is stopped when all others have left, and mpirun waits for it; where it is missed, mpirun
        leaves nothing of it for so long."""
        begin = time.monotonic()
        stopped_since = None
        while run.process.poll() is None and time.monotonic() < begin + SOON:
            states = run.states()
            if not states or set(states.values()) != {"T"}:
                stopped_since = None
            elif stopped_since is None:
                stopped_since = time.monotonic()
            elif time.monotonic() > stopped_since + MPIRUNS_TIME:
                with contextlib.suppress(ProcessLookupError):  # mpirun has ended it meanwhile
                    for process in states:
                        os.kill(process, signal.SIGCONT)
                return
            time.sleep(0.1)

    def one_run(self, seed):
        draw = random.Random(seed)
        out = self.folder / "x.mtx"
        is_full = draw.random() < 0.15
        problem = draw.choice(PROBLEMS)
        run = Run(self, *problem, "--watchdog", WATCHDOG, "--out", out, "--quiet", wrapper=FULL_DISK if is_full else (),
                  launcher=["--mca", "btl_vader_backing_directory", self.temporary])
        ending = Ending(set())
        try:
            run.rank(draw.randrange(RANKS))
            time.sleep(draw.uniform(0, LONGEST))
            ending = self.fault(draw, run)
        except (AssertionError, ProcessLookupError):
            pass  # it had ended
        self.continue_the_last(run)
        # Where the others are stopped, the last rank tells after 14 s that not all have started.
        code, _, said, err = run.expect_end(within=2 * SOON)
        if code == -signal.SIGSEGV and "[ 1]" in err:
            return  # Open MPI's launcher itself: by half of what a rank told it, or in PMIx at its end
        self.assertIn(code, ending.codes | {0} | ({BAD_OUTPUT, FAILED} if is_full else set()), err)
        self.assertLessEqual(len(said), ending.messages, err)
        # Where the fault comes after the solution is there, the run fails and the solution stays.
        self.assertIn(self.files(), [["x.mtx"]] if code == 0 else [[], ["x.mtx"]], err)
        if out.exists():
            self.expect_whole(out)
        if ending.cleans:
            self.assertEqual([path for path in self.temporary.rglob("*") if not path.is_dir()], [])

    def test_random_faults(self):
        first = int(os.environ.get("ESPALIER_CHAOS_SEED", 1))
        for seed in range(first, first + int(os.environ["ESPALIER_CHAOS"])):
            with self.subTest(repeat=f"ESPALIER_CHAOS=1 ESPALIER_CHAOS_SEED={seed}"):
                self.temporary.mkdir()
                try:
                    self.one_run(seed)
                finally:
                    shutil.rmtree(self.temporary)
                    (self.folder / "x.mtx").unlink(missing_ok=True)


if __name__ == "__main__":
    if MPIRUN is None:
        skip("there is no mpirun")
    if "ESPALIER_CHAOS" not in os.environ:
        skip("ESPALIER_CHAOS does not say how many runs")
    main()
