# SPDX-License-Identifier: BSD-3-Clause
"""TCP ports of this machine."""
import contextlib
import pathlib
import random
import socket


def free_port():
    """Returns an unused port outside the range that the system assigns, so that it stays free until StarPU uses it."""
    for port in random.sample(range(10000, 30000), 100):
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("", port))
            return str(port)
    raise AssertionError("100 ports are in use")


def listening(port):
    """Returns the addresses, in the system's byte order, on which a process listens at a port."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == int(port)]
