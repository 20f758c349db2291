#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A bad environment is reported in one line. The program does not crash, hang, or write to folders of other users."""
import os
import re
import resource
import shutil
import unittest

from support.program import ProgramTest, environment, espalier, is_sanitized, main

NO_FOLDER = "/dev/null/folder"  # nobody can create it, not even root
USER = 54321  # a user without processes

# Values that make StarPU or hwloc crash or hang, or that they misread.
BAD_VALUES = {
    "STARPU_NCPU": ["abc", "-5", "2x", "99999999999"],
    "STARPU_NCPUS": ["abc"],
    "STARPU_RESERVE_NCPU": ["abc"],
    "STARPU_NCUDA": ["abc"],
    "STARPU_NOPENCL": ["abc"],
    "STARPU_NTHREADS_PER_CORE": ["abc"],
    "STARPU_WORKERS_CPUID": ["zz", "", "-1"],
    "STARPU_WORKERS_COREID": ["zz", "", "-1"],
    "STARPU_WORKERS_GETBIND": ["abc"],
    "STARPU_MAIN_THREAD_BIND": ["abc"],
    "STARPU_MAIN_THREAD_CPUID": ["abc", "999999"],
    "STARPU_MAIN_THREAD_COREID": ["999999"],
    "STARPU_USE_NUMA": ["abc"],
    "STARPU_LIMIT_CPU_MEM": ["abc"],
    "STARPU_LIMIT_MAX_SUBMITTED_TASKS": ["abc"],
    "STARPU_LIMIT_MIN_SUBMITTED_TASKS": ["abc", "5"],
    "STARPU_CALIBRATE": ["abc"],
    "STARPU_WINDOW_TIME_SIZE": ["abc"],
    "STARPU_BACKOFF_MIN": ["abc", "999999999"],
    "STARPU_TRACE_BUFFER_SIZE": ["abc"],
    "STARPU_TCPIP_MS_SLAVES": ["abc"],
    "STARPU_WATCHDOG_TIMEOUT": ["abc"],
    "STARPU_HOSTNAME": ["a/b"],
    "STARPU_PERF_MODEL_DIR": [NO_FOLDER],
    "STARPU_DISK_SWAP": ["/dev/null"],
    "STARPU_SCHED_LIB": [f"{NO_FOLDER}/policies.so"],
    "STARPU_HWLOC_INPUT": ["/dev/null"],
    "HWLOC_XMLFILE": ["/dev/null"],
    "STARPU_MPI_HOSTNAMES": ["a b"],
    "STARPU_SINK": ["x"],
}


class BadVariables(ProgramTest):
    def test_each_is_wrong_usage(self):
        for name, values in BAD_VALUES.items():
            for value in values:
                with self.subTest(variable=name, value=value):
                    # If HWLOC_COMPONENTS is set or workers are not bound, hwloc ignores some of these variables.
                    env = environment(STARPU_WORKERS_NOBIND=None, HWLOC_COMPONENTS=None, **{name: value})
                    self.expect_failure(2, "solve", "laplace2d:3", says=[name, f"'{value}'", "unset it"], env=env, timeout=20)

    def test_the_report_has_the_sentence(self):
        report = self.report_of("solve", "laplace2d:3", code=2, env=environment(STARPU_NCPU="abc"))
        self.assertIn("STARPU_NCPU", report["message"])

    def test_a_value_of_any_bytes_and_length(self):
        outcome = self.expect_failure(2, "solve", "laplace2d:3", env=environment(STARPU_NCPU="\n\x1b[31m" + "x" * 5000))
        self.assertLess(len(outcome.err), 200)
        self.assertTrue(outcome.err[:-1].isprintable())

    def test_it_is_told_once_of_several_processes(self):
        self.expect_failure(2, "solve", "laplace2d:3", "--coprocessors", 1, says="STARPU_CALIBRATE",
                            env=environment(STARPU_CALIBRATE="abc"), timeout=20)

    def test_no_workers_are_a_failure_of_the_runtime_system(self):
        for value in ("0", ""):
            self.expect_failure(7, "solve", "laplace2d:3", says="set STARPU_NCPU to 1 or more",
                                env=environment(STARPU_NCPU=value), timeout=20)

    def test_good_values_are_taken(self):
        for name, value in (("STARPU_NCPU", "1"), ("STARPU_WORKERS_CPUID", "0-"), ("STARPU_MAIN_THREAD_CPUID", "0"),
                            ("STARPU_HOSTNAME", ""), ("STARPU_CALIBRATE", "0")):
            with self.subTest(variable=name):
                self.expect_success("solve", "laplace2d:3", "--quiet", env=environment(**{name: value}))

    def test_a_blas_and_openmp_with_strange_numbers_of_threads(self):
        for value in ("abc", "-1", "999999"):
            self.expect_success("solve", "laplace2d:3", "--quiet", env=environment(OPENBLAS_NUM_THREADS=value))
            self.assertEqual(espalier("solve", "laplace2d:3", env=environment(OMP_NUM_THREADS=value)).code, 0)

    def test_more_workers_than_a_blas_has_buffers_for(self):
        """OpenBLAS would print a warning, and StarPU would silently start fewer workers."""
        asked = ["solve", "laplace2d:3", "--quiet", "--workers"]
        outcome = self.expect_failure(2, *asked, 4096, says="--enable-maxcpus")
        most = re.search(r"at most (\d+) CPU workers, but 4096 were", outcome.err)
        self.expect_success(*asked, most.group(1))

    def expect_few_threads(self, threads, *arguments, code):
        """Runs with a limit on the user's threads. Root has no such limit, so another user runs the program, with root's right to read it
        and its libraries."""
        as_user = ["setpriv", f"--reuid={USER}", "--clear-groups", "--inh-caps=-all,+dac_override",
                   "--ambient-caps=+dac_override", "--bounding-set=-all,+dac_override"]
        self.folder.chmod(0o777)
        env = environment(OPENBLAS_NUM_THREADS=None, STARPU_HOME=self.folder, XDG_CACHE_HOME=None)
        if espalier("--version", prefix=as_user, env=env).code != 0:
            self.skipTest("setpriv does not start the program")
        outcome = espalier(*arguments, prefix=as_user, env=env, timeout=20,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads)))
        self.assertEqual(outcome.code, code, outcome.err)
        if code != 0:
            self.assertRegex(outcome.err, r"\Aespalier: [^\n]*threads[^\n]*ulimit -u[^\n]*\n\Z")

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv") or is_sanitized(),
                     "takes root, setpriv and a program without sanitizers")
    def test_threads_that_cannot_start(self):
        self.expect_few_threads(1, "--version", code=0)
        self.expect_few_threads(1, "analyze", "laplace2d:3", code=7)
        self.expect_few_threads(2, "analyze", "laplace2d:3", code=0)
        for threads in 1, 2, 3:
            self.expect_few_threads(threads, "solve", "laplace2d:3", "--quiet", "--workers", "2", code=7)


class TemporaryFolder(ProgramTest):
    """If StarPU's usual folder is not writable, its files go to a folder below TMPDIR, which another user may have made before."""

    def setUp(self):
        super().setUp()
        self.own = self.folder / f"espalier-{os.geteuid()}"
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()
        self.env = environment(HOME=NO_FOLDER, STARPU_HOME=NO_FOLDER, XDG_CACHE_HOME=NO_FOLDER,
                               STARPU_PERF_MODEL_DIR=None, TMPDIR=self.folder)

    def expect_refused(self, says):
        self.expect_failure(7, "solve", "laplace2d:3", says=[str(self.own), says, "STARPU_HOME"], env=self.env)
        self.assertEqual(list(self.elsewhere.iterdir()), [])

    def test_it_is_made_for_the_user_alone(self):
        self.expect_success("solve", "laplace2d:3", "--quiet", env=self.env)
        self.assertEqual(self.own.stat().st_mode & 0o7777, 0o700)
        self.assertNotEqual(list((self.own / "sampling" / "bus").iterdir()), [])
        self.expect_success("solve", "laplace2d:3", "--quiet", env=self.env)

    def test_a_link_is_not_followed(self):
        self.own.symlink_to(self.elsewhere)
        self.expect_refused("link")

    def test_a_link_to_nowhere_is_not_followed(self):
        self.own.symlink_to(self.elsewhere / "new")
        self.expect_refused("link")

    def test_a_file_is_no_folder(self):
        self.own.write_text("")
        self.expect_refused("file")

    def test_a_folder_that_others_may_write_to(self):
        self.own.mkdir()
        for mode in (0o777, 0o1777, 0o770):
            self.own.chmod(mode)
            self.expect_refused("other users")
        self.assertEqual(list(self.own.iterdir()), [])

    def test_without_a_home_a_link_of_another_name_is_not_followed(self):
        (self.folder / ".starpu").symlink_to(self.elsewhere)
        env = dict(self.env)
        for name in ("HOME", "STARPU_HOME", "XDG_CACHE_HOME"):
            env.pop(name)
        self.expect_success("solve", "laplace3d:12", "--quiet", env=env)
        self.assertEqual(list(self.elsewhere.iterdir()), [])
        self.assertTrue((self.own / "sampling" / "bus").is_dir())

    def test_a_folder_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("takes root")
        self.own.mkdir(mode=0o700)
        os.chown(self.own, USER, USER)
        self.expect_refused("another user")
        self.assertEqual(list(self.own.iterdir()), [])


LAUNCHERS = {"OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK", "PMI_SIZE": "PMI_RANK", "SLURM_STEP_NUM_TASKS": "SLURM_PROCID"}


class Launchers(ProgramTest):
    """Variables that launchers set, with an MPI that does not know the launcher and sees one process."""

    def launched(self, **changes):
        return environment(**{name: None for pair in LAUNCHERS.items() for name in pair}, XDG_DATA_HOME=self.folder / "data") | {
            name: str(value) for name, value in changes.items()}

    def test_of_another_mpi(self):
        for size, rank in LAUNCHERS.items():
            for command in (("solve", "laplace2d:9", "--out", self.folder / "x.mtx"), ("calibrate", "--quick")):
                with self.subTest(size=size, command=command[0]):
                    says = (f"{size} says that 3 processes were started", "MPI v", "mpirun", f"unset {size}")
                    self.expect_failure(2, *command, says=says, env=self.launched(**{size: 3, rank: 0}))
                    outcome = espalier(*command, env=self.launched(**{size: 3, rank: 2}))
                    self.assertEqual((outcome.code, outcome.out, outcome.err), (2, "", ""))  # the first process has reported it

    def test_of_one_process_alone(self):
        """These processes are alone, so nothing is wrong: the script of a job, a process that a launcher starts alone inside
        another job, and a process without a launcher."""
        job = {"SLURM_JOB_ID": 7, "SLURM_NTASKS": 4, "SLURM_NPROCS": 4, "SLURM_PROCID": 0}
        for variables in (job, {"OMPI_COMM_WORLD_SIZE": 1, "OMPI_COMM_WORLD_RANK": 0, **job, "SLURM_STEP_NUM_TASKS": 4},
                          {"PMI_SIZE": 1, "PMI_RANK": 0}, {"PMI_RANK": 2}, {"SLURM_PROCID": 3}):
            with self.subTest(**variables):
                self.expect_success("solve", "laplace2d:9", "--quiet", env=self.launched(**variables))
                self.expect_failure(3, "solve", "nosuch.mtx", says="nosuch.mtx", env=self.launched(**variables))


if __name__ == "__main__":
    main()
