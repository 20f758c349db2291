# SPDX-License-Identifier: BSD-3-Clause
"""Ports of TCP on this machine."""
import contextlib
import pathlib
import random
import socket


def free_port():
    """A port that nobody has, of those that the system gives to nobody until StarPU takes it."""
    for port in random.sample(range(10000, 30000), 100):
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("", port))
            return str(port)
    raise AssertionError("100 ports are in use")


def listening(port):
    """The addresses, in the system's own order of bytes, where somebody waits for connections on a port."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == int(port)]
