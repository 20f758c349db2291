# SPDX-License-Identifier: BSD-3-Clause
"""Reports the result of a program to programs.py."""
import json
import pathlib


def report(**results):
    """Prints the results as JSON, and the libraries of Espalier that this process has loaded."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    libraries = sorted({line.split("/")[-1] for line in maps.splitlines() if "/libespalier_" in line})
    print(json.dumps({**results, "libraries": libraries}), flush=True)
