# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are killed, stopped or interrupted: the others end within seconds and say why, and no process is left."""
import os
import signal
import time

from support.program import ProgramTest, main, skip
from support.rank_run import FACTORIZES, FULL_DISK, Run
from support.ranks import MPIRUN

# A launcher that does not end the other ranks if one dies. Each rank prints its exit code.
UNSUPERVISED = ["--enable-recovery"]
TELL_CODE = ["sh", "-c", '"$@"; echo "rank $OMPI_COMM_WORLD_RANK ended with $?"', "sh"]


class RanksKilled(ProgramTest):
    def expect_end_of_all(self, run, *lost, signal_number=signal.SIGKILL):
        """Expects that mpirun returns the code of the signal and ends the other ranks, and that one of them says why."""
        code, _, said, err = run.expect_end()
        self.assertEqual(code, 128 + signal_number, err)
        self.assertEqual(len(said), 1, err)
        self.assertRegex(said[0], "ranks? " + ", ".join(map(str, lost)) + " w")

    def test_killed_while_it_factorizes(self):
        for lost in ([0], [1], [1, 2]):
            with self.subTest(lost=lost):
                run = Run(self, *FACTORIZES)
                run.wait_for_work()
                run.send(signal.SIGKILL, *lost)
                self.expect_end_of_all(run, *lost)

    def test_killed_where_ranks_speak_over_tcp(self):
        """Ranks use TCP if the disk has no space for their shared memory. The others still send signs of life to the killed rank. On a busy
        machine one rank may notice the loss by its watchdog after another rank has received mpirun's request to end."""
        for _ in range(3):
            run = Run(self, "laplace3d:14", "--repeat", "1000000", "--mapping", "block-cyclic", "--watchdog", "1", wrapper=FULL_DISK,
                      launcher=["--mca", "btl_vader_backing_directory", self.folder])
            run.wait_for_work()
            run.send(signal.SIGKILL, 1)
            code, _, said, err = run.expect_end()
            self.assertIn(code, (7, 128 + signal.SIGKILL), err)
            self.assertIn(len(said), (1, 2), err)
            for line in said:
                self.assertRegex(line, "rank 1 (was killed|gave no sign of life)")

    def test_killed_while_others_wait_for_the_analysis(self):
        # Rank 0 reads from an empty pipe, and the others wait for it.
        order = self.folder / "order"
        os.mkfifo(order)
        for lost in (0, 2):
            with self.subTest(lost=lost):
                run = Run(self, "laplace2d:20", "--ordering", order)
                self.wait_for_reader(run, order)
                run.send(signal.SIGKILL, lost)
                self.expect_end_of_all(run, lost)

    def wait_for_reader(self, run, pipe):
        """Waits until rank 0 reads. The pipe stays open."""
        while run.process.poll() is None:
            try:
                self.addCleanup(os.close, os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
                return
            except OSError:
                time.sleep(0.05)
        self.fail(f"it ended too early: {run.process.communicate()}")

    def test_killed_at_any_time(self):
        for pause in (0.1, 0.5):
            run = Run(self, "laplace2d:30", "--nrhs", "100000", "--quiet")
            run.rank(1)
            time.sleep(pause)
            run.send(signal.SIGKILL, 1)
            self.assertIn(run.expect_end_of_ranks(), (None, 0, 128 + signal.SIGKILL))

    def test_killed_where_nobody_ends_the_others(self):
        run = Run(self, *FACTORIZES, "--watchdog", "2", launcher=UNSUPERVISED, wrapper=TELL_CODE)
        run.wait_for_work()
        run.send(signal.SIGKILL, 1)
        _, out, said, err = run.expect_end()
        self.assertIn("rank 2 ended with 7", out)
        self.assertEqual(len(said), 1, err)
        self.assertIn("rank 1 gave no sign of life for 2 seconds", said[0])

    def test_stopped(self):
        run = Run(self, *FACTORIZES, "--watchdog", "2")
        run.wait_for_work()
        run.send(signal.SIGSTOP, 0)
        code, _, said, err = run.expect_end()
        self.assertEqual(code, 7, err)
        self.assertEqual(len(said), 1, err)
        self.assertIn("rank 0 gave no sign of life for 2 seconds", said[0])

    def test_stopped_before_it_has_begun(self):
        """The first of the other ranks reports that not all have started. The stopped rank wakes and is silent
        until mpirun ends it."""
        stops = ["sh", "-c", '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && kill -STOP $$; exec "$@"', "sh"]
        in_time = Run(self, "laplace2d:20", "--watchdog", "1", wrapper=stops)
        late = Run(self, "laplace2d:20", "--watchdog", "1")
        late.send(signal.SIGSTOP, 0)
        for run in in_time, late:
            code, _, said, err = run.expect_end()
            self.assertEqual(code, 7, err)
            self.assertEqual(len(said), 1, err)
            self.assertIn("not all ranks have started within 10 seconds", said[0])

    def test_a_pause_of_all_is_no_loss(self):
        run = Run(self, *FACTORIZES, "--watchdog", "1")
        run.wait_for_work()
        run.send(signal.SIGSTOP, 0, 1, 2)
        time.sleep(3)
        run.send(signal.SIGCONT, 0, 1, 2)
        time.sleep(2)
        self.assertIsNone(run.process.poll())

    def test_long_work_of_one_rank_is_no_loss(self):
        order = self.folder / "order"
        os.mkfifo(order)
        run = Run(self, "laplace2d:3", "--ordering", order, "--watchdog", "1")
        time.sleep(4)
        self.assertIsNone(run.process.poll())
        order.write_text("".join(f"{i}\n" for i in range(1, 10)))
        code, _, _, err = run.expect_end()
        self.assertEqual((code, err), (0, ""))

    def test_interrupted(self):
        run = Run(self, *FACTORIZES)
        run.wait_for_work()
        run.process.send_signal(signal.SIGTERM)
        code, _, said, err = run.expect_end()
        self.assertNotEqual(code, 0)
        self.assertEqual(said, ["espalier: interrupted"], err)

    def test_one_rank_interrupted(self):
        run = Run(self, *FACTORIZES)
        run.wait_for_work()
        run.send(signal.SIGTERM, 1)
        self.expect_end_of_all(run, 1, signal_number=signal.SIGTERM)

    def test_the_root_interrupted(self):
        run = Run(self, *FACTORIZES)
        run.wait_for_work()
        run.send(signal.SIGTERM, 0)
        code, _, said, err = run.expect_end()
        self.assertEqual((code, said), (128 + signal.SIGTERM, ["espalier: interrupted"]), err)

    def test_killed_with_its_launcher(self):
        run = Run(self, *FACTORIZES)
        run.wait_for_work()
        run.process.kill()
        run.expect_end()


if __name__ == "__main__":
    if MPIRUN is None:
        skip("there is no mpirun")
    main()
