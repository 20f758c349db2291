# SPDX-License-Identifier: BSD-3-Clause
"""Shared code for tests of coprocessors."""
import json
import platform

from .own_files import own_file
from .program import cpu_name, espalier, skip

# Options that run all D, F and U on devices, whatever their size.
ALL_ON_DEVICES = ["--sched", "fanout"] + [word for kernel in ("potrf", "trsm", "syrk", "gemm")
                                          for word in ("--sched-option", f"threshold_{kernel}=0")]
PROBLEM = ("laplace3d:9", "--workers", 1, "--granularity", "tile", "--repeat", 2)
OWN = ("espalier", "fanout", "ktq", "levelset", "hlevelset", "halo")
STARPUS = ("eager", "lws", "dmdas")


def has_coprocessors():
    """Returns whether this StarPU has TCP/IP master-slave workers."""
    return "no TCP/IP" not in espalier("solve", "laplace2d:3", "--coprocessors", 1).err


def skip_without_coprocessors():
    if not has_coprocessors():
        skip("this StarPU has no TCP/IP master-slave workers")


def runs(report, worker):
    """Returns the number of tasks of each kind that workers of this kind ran."""
    return {kind["kind"]: kind["count"] for kind in report["kinds"] if kind["worker"] == worker}


def write_costs(folder, seconds=1e-9, **changes):
    """Writes a made-up calibration of a coprocessor, or of a device with another `architecture`, below a folder of user data.

    Kernels take `seconds` per operation, and everything else takes no time, except for the changes. Returns the file.
    """
    kernel = {"classes": [1, 1, 1], "seconds_per_operation": [seconds]}
    way = {"latency_seconds": 0, "byte_seconds": 0}
    costs = {"espalier_device_costs": 2, "scalar": "double", "host": platform.node(), "cpu": cpu_name(),
             "architecture": "coprocessor", "date": "2026-01-31", "task_seconds": 0, "to": way, "back": way, "overlaps": False, "syrk": kernel,
             "gemm": kernel, "potrf": kernel, "trsm": kernel, **changes}
    place = own_file(folder, "costs-" + costs["architecture"])
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(costs))
    return place


def change_costs(folder, seconds, kind):
    """Changes the kernel times of a kind of worker ("-coprocessor", or "" for the host) to `seconds` per operation.

    For a coprocessor, everything else takes no time, and times learnt from whole tasks are removed. Returns the file.
    """
    place = own_file(folder, f"costs{kind}")
    costs = json.loads(place.read_text())
    for grid in ("syrk", "gemm", "potrf", "trsm"):
        costs[grid] = {"classes": [1, 1, 1], "seconds_per_operation": [seconds]}
    if kind:
        costs.pop("tasks", None)
        costs["task_seconds"] = 0
        costs["to"] = costs["back"] = {key: 0 for key in costs["to"]}
    place.write_text(json.dumps(costs))
    return place
