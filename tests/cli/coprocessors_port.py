#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The port on which the program waits for its coprocessors serves only them, whatever other processes connect or send."""
import os
import pathlib
import socket
import struct
import subprocess
import time

from support.coprocessors import skip_without_coprocessors
from support.ports import free_port, listening
from support.program import PROGRAM, ProgramTest, environment, main

MAGIC = 0x53505531
SECRET_BYTES = 64


def hello(secret, index=0, channel=0):
    """Returns the first message of a connection, as StarPU sends it with the patches of tools/starpu."""
    return struct.pack(f"=Iii{SECRET_BYTES}s", MAGIC, index, channel, secret)


class Port(ProgramTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.command = [PROGRAM, "solve", "laplace3d:9", "--workers", "1", "--out", str(self.folder / "x.mtx")]
        self.variables = {"STARPU_TCPIP_MS_SLAVES": "1", "STARPU_NTCPIPMSTHREADS": "1", "STARPU_WORKERS_NOBIND": "1",
                          "STARPU_TCPIP_MS_PORT": self.port, "STARPU_TCPIP_MS_SECRET": "known to two"}

    def start(self, **changes):
        process = subprocess.Popen(self.command, env=environment(**{**self.variables, **changes}),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def start_master(self, **changes):
        """Starts a process that waits for its coprocessor."""
        master = self.start(**changes)
        end = time.monotonic() + 60
        while not listening(self.port):
            self.assertIsNone(master.poll(), "the process has ended")
            self.assertLess(time.monotonic(), end, "nobody listens")
            time.sleep(0.01)
        return master

    def connect(self, message=None):
        s = socket.create_connection(("127.0.0.1", int(self.port)), timeout=60)
        self.addCleanup(s.close)
        if message is not None:
            s.sendall(message)
        return s

    def expect_closed(self, s):
        s.settimeout(60)
        try:
            self.assertEqual(s.recv(1), b"")
        except ConnectionResetError:
            pass

    def expect_solution(self, master):
        """Starts its coprocessor and expects that the two solve the problem without a message."""
        coprocessor = self.start(STARPU_TCPIP_MS_MASTER="127.0.0.1")
        _, errors = master.communicate(timeout=100)
        self.assertEqual((master.returncode, errors), (0, ""))
        self.assertEqual(coprocessor.communicate(timeout=100)[1], "")
        self.assertTrue((self.folder / "x.mtx").exists())

    def test_only_this_host_reaches_it(self):
        master = self.start_master()
        self.assertEqual(listening(self.port), ["0100007F"])
        self.expect_solution(master)

    def test_a_silent_connection_keeps_nobody_waiting(self):
        master = self.start_master()
        for _ in range(100):
            self.connect()
        self.expect_solution(master)

    def test_a_silent_connection_has_its_time(self):
        master = self.start_master(STARPU_TCPIP_MS_TIMEOUT=1)
        self.expect_closed(self.connect())
        self.expect_solution(master)

    def test_who_says_the_wrong_thing_is_left_alone(self):
        master = self.start_master()
        self.connect().close()
        for message in (b"GET / HTTP/1.1\r\n\r\n" + bytes(200), os.urandom(500), hello(b""), hello(b"guessed"),
                        hello(b"known to two", index=2**31 - 1), hello(b"known to two", index=-5),
                        hello(b"known to two", channel=77), hello(b"known to two")):
            self.expect_closed(self.connect(message))
        self.connect(hello(b"known to two")[:20]).close()
        self.expect_solution(master)

    def test_a_coprocessor_with_another_secret(self):
        self.start_master()
        lost = self.start(STARPU_TCPIP_MS_MASTER="127.0.0.1", STARPU_TCPIP_MS_SECRET="guessed")
        _, errors = lost.communicate(timeout=60)
        self.assertEqual(lost.returncode, 7, errors)
        self.assertIn("STARPU_TCPIP_MS_SECRET", errors)

    def test_other_hosts_need_a_secret(self):
        master = self.start(STARPU_TCPIP_MS_BIND="0.0.0.0", STARPU_TCPIP_MS_SECRET="")
        _, errors = master.communicate(timeout=60)
        self.assertEqual(master.returncode, 7, errors)
        self.assertIn("STARPU_TCPIP_MS_SECRET", errors)

    def test_nothing_is_left_in_tmp(self):
        before = set(pathlib.Path("/tmp").glob("starpu-*.socket"))
        self.expect_solution(self.start_master())
        self.assertEqual(set(pathlib.Path("/tmp").glob("starpu-*.socket")) - before, set())


if __name__ == "__main__":
    skip_without_coprocessors()
    main()
