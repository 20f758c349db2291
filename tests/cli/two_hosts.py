#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks on two hosts that communicate over TCP. The hosts are network namespaces of one machine, joined by a virtual cable.

A host is a process that sleeps in a separate network and has a separate host name. mpirun starts ranks there through nsenter, as it
would through ssh. The host vanishes with its process, so that nothing is left behind however the test ends.
"""
import json
import os
import shutil
import subprocess
import time

from support.matrices import read_array
from support.program import PROGRAM, ProgramTest, environment, espalier, main, skip
from support.rank_run import SOON, is_program, kill_all, processes_with

ADDRESSES = ["10.211.77.1", "10.211.77.2"]
INTERFACE = "cable"
LONGEST_TEST = 100  # seconds
TOOLS = ("mpirun", "unshare", "nsenter", "ip", "hostname")


class Host:
    def __init__(self, number):
        self.name = f"espalier-host-{number}"
        self.address = ADDRESSES[number]
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c",
                                         f"hostname {self.name} && echo up && exec sleep {LONGEST_TEST}"],
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.enter = ["nsenter", "--target", str(self.process.pid), "--net", "--uts", "--"]

    def run(self, *command):
        return subprocess.run([*self.enter, *command], check=True, capture_output=True, text=True).stdout

    def plug_in(self):
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "address", "add", self.address + "/24", "dev", INTERFACE)
        self.run("ip", "link", "set", INTERFACE, "up")

    def bytes_sent(self):
        return json.loads(self.run("ip", "-json", "-stats", "link", "show", INTERFACE))[0]["stats64"]["tx"]["bytes"]

    def end(self):
        self.process.kill()
        self.process.communicate()


class TwoHosts(ProgramTest):
    def setUp(self):
        super().setUp()
        self.hosts = []
        for number in range(2):
            self.hosts.append(Host(number))
            self.addCleanup(self.hosts[-1].end)
        first, second = self.hosts
        first.run("ip", "link", "add", INTERFACE, "type", "veth", "peer", "name", INTERFACE, "netns",
                  str(second.process.pid))
        for host in self.hosts:
            host.plug_in()

    def agent(self):
        """Writes the command that mpirun uses to start processes on another host: AGENT ADDRESS COMMAND..., quoted for a shell."""
        lines = ["#!/bin/sh", "address=$1", "shift", "case $address in"]
        lines += [f"{host.address}) exec {' '.join(host.enter)} sh -c \"$*\" ;;" for host in self.hosts]
        script = self.write("agent", "\n".join([*lines, "esac", "exit 1", ""]))
        script.chmod(0o755)
        return script

    def start_on_both(self, *arguments, **more):
        """Starts the program with a rank on each host."""
        command = [*self.hosts[0].enter, "mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", "2",
                   "--host", ",".join(ADDRESSES), "--map-by", "node", "-x", "ASAN_OPTIONS", *(f for name in more for f in ("-x", name)),
                   "--mca", "plm_rsh_agent", str(self.agent()), "--mca", "btl", "tcp,self", "--mca", "pml", "ob1",
                   "--mca", "btl_tcp_if_include", INTERFACE, "--mca", "oob_tcp_if_include", INTERFACE,
                   PROGRAM, *arguments]
        variables = environment(ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", **more)
        process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_on_both(self, *arguments, **more):
        """Runs the program with a rank on each host to its end."""
        process = self.start_on_both(*arguments, **more)
        out, err = process.communicate(timeout=LONGEST_TEST - 20)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def solve(self, *arguments):
        out, report = self.folder / "x.mtx", self.folder / "report.json"
        done = self.run_on_both("solve", *arguments, "--workers", "1", "--out", str(out), "--report", str(report))
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_array(out.read_text())[0], json.loads(report.read_text())

    def test_calibrates_each_host(self):
        done = self.run_on_both("calibrate", "--quick", "--quiet", "--workers", "1", XDG_DATA_HOME=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        tables = [self.folder / "espalier" / f"costs-{host.name}.json" for host in self.hosts]
        self.assertEqual([json.loads(table.read_text())["host"] for table in tables], [host.name for host in self.hosts])

    def test_solves_over_a_network(self):
        for mapping in "proportional", "block-cyclic":
            with self.subTest(mapping=mapping):
                before = [host.bytes_sent() for host in self.hosts]
                x, report = self.solve("laplace3d:16", "--mapping", mapping)
                sent = [host.bytes_sent() - then for host, then in zip(self.hosts, before)]
                self.assertEqual([rank["host"] for rank in report["ranks"]], [host.name for host in self.hosts])
                for rank, on_cable in zip(report["ranks"], sent):
                    self.assertGreater(rank["messages"], 0)
                    self.assertGreater(on_cable, rank["bytes"])
                alone = self.folder / "alone.mtx"
                self.assertEqual(espalier("solve", "laplace3d:16", "--out", alone).code, 0)
                for ours, theirs in zip(x, read_array(alone.read_text())[0], strict=True):
                    self.assertAlmostEqual(ours, theirs, delta=1e-12)

    def test_ranks_end_where_the_network_drops(self):
        """The watchdogs end the ranks on both hosts. Open MPI's launcher waits for a host that it cannot reach, whatever its ranks do; here
        its processes are killed."""
        mark = f"{os.getpid()}.{time.monotonic_ns()}"
        marker = f"ESPALIER_TEST_MARK={mark}"
        self.addCleanup(kill_all, marker)
        process = self.start_on_both("solve", "laplace2d:60", "--repeat", "1000000", "--workers", "1", "--watchdog", "2",
                                     "--quiet", "--out", str(self.folder / "x.mtx"), ESPALIER_TEST_MARK=mark)
        before = [host.bytes_sent() for host in self.hosts]
        while any(host.bytes_sent() < then + 1000000 for host, then in zip(self.hosts, before)):
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.1)
        self.hosts[0].run("ip", "link", "set", INTERFACE, "down")
        dropped = time.monotonic()
        while ranks := [p for p in processes_with(marker) if is_program(p)]:
            self.assertLess(time.monotonic() - dropped, SOON, f"ranks are left: {ranks}")
            time.sleep(0.1)
        kill_all(marker)
        self.assertRegex(process.communicate()[1], r"(?m)^espalier: rank 1 gave no sign of life")
        self.assertEqual(self.files(), ["agent"])


if __name__ == "__main__":
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        skip("there is no " + ", no ".join(missing))
    forbidden = subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True, text=True).stderr
    if forbidden:
        skip("network namespaces are not allowed here: " + forbidden.strip())
    main()
