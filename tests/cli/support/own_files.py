# SPDX-License-Identifier: BSD-3-Clause
"""Made-up contents for the files about a machine that the program keeps in the user's data folder."""
import platform

from .program import cpu_name

TUNING_DEFAULTS = {"amalgamation_width_1": 8, "amalgamation_width_2": 16, "amalgamation_width_3": 32,
                   "amalgamation_width_4": 2147483647, "amalgamation_zeros_1": 1, "amalgamation_zeros_2": 0.5,
                   "amalgamation_zeros_3": 0.2, "amalgamation_zeros_4": 0.05, "panel_width": 256,
                   "narrow_panel_width": 128, "subtrees_per_worker": 3, "tile_rows": 512, "trsm_panel": 128, "potrf_panel": 128}


def own_file(folder, kind):
    """Returns the path of a kind of file below a folder of user data."""
    return folder / "espalier" / f"{kind}-{platform.node()}.json"


def tuning(workers, cpu=None, place=None, **parameters):
    """Returns a result of `espalier tune`: defaults except for these parameters. Files of older versions name only the workers as their
    place."""
    return {"espalier_tuning": 1, "cpu": cpu or cpu_name(), "date": "2026-01-31", "workers": workers, "matrices": ["a.mtx"],
            "predicted_gain": 0.1, "measured_gain": 0.1, "parameters": TUNING_DEFAULTS | parameters, **(place or {})}


def host_costs(workers):
    """Returns a result of `espalier calibrate` with the same time per operation for all kernels and sizes."""
    kernel = {"classes": [1, 1, 1], "seconds_per_operation": [1e-10]}
    seconds = {f"{name}_seconds": 1e-9 for name in ("fill", "take", "line", "read", "task")}
    kernels = dict.fromkeys(("potrf", "trsm", "syrk", "gemm", "syrk_again", "gemm_again"), kernel)
    return {"espalier_costs": 5, "host": platform.node(), "cpu": cpu_name(), "kernels": "made up", "date": "2026-01-31",
            "workers": workers, **seconds, **kernels, "tasks": []}


def machine(workers):
    """Returns a result of `espalier calibrate --machine`: the time of a task does not depend on the number of busy workers."""
    return {"espalier_machine": 1, "name": platform.node(), "provenance": "Made up.", "cores": workers,
            "load": [[workers, 1]], "network": {"latency_seconds": 1e-6, "byte_seconds": 1e-9}, "costs": host_costs(workers)}
