# SPDX-License-Identifier: BSD-3-Clause
"""SSIDS of SPRAL, through its interface for C. Variant `matching`: the ordering keeps matched pairs together and scales with the
matching, as Ipopt sets it. Otherwise METIS orders, and MC64 scales."""
import ctypes
import sys

import numpy as np

import interface


class Options(ctypes.Structure):
    """struct spral_ssids_options of spral_ssids.h."""

    _fields_ = [("array_base", ctypes.c_int), ("print_level", ctypes.c_int), ("unit_diagnostics", ctypes.c_int),
                ("unit_error", ctypes.c_int), ("unit_warning", ctypes.c_int), ("ordering", ctypes.c_int), ("nemin", ctypes.c_int),
                ("ignore_numa", ctypes.c_bool), ("use_gpu", ctypes.c_bool), ("min_gpu_work", ctypes.c_int64),
                ("max_load_inbalance", ctypes.c_float), ("gpu_perf_coeff", ctypes.c_float), ("scaling", ctypes.c_int),
                ("small_subtree_threshold", ctypes.c_int64), ("cpu_block_size", ctypes.c_int), ("action", ctypes.c_bool),
                ("pivot_method", ctypes.c_int), ("small", ctypes.c_double), ("u", ctypes.c_double), ("unused", ctypes.c_char * 80)]


class Inform(ctypes.Structure):
    """struct spral_ssids_inform of spral_ssids.h."""

    _fields_ = [("flag", ctypes.c_int), ("matrix_dup", ctypes.c_int), ("matrix_missing_diag", ctypes.c_int),
                ("matrix_outrange", ctypes.c_int), ("matrix_rank", ctypes.c_int), ("maxdepth", ctypes.c_int), ("maxfront", ctypes.c_int),
                ("num_delay", ctypes.c_int), ("num_factor", ctypes.c_int64), ("num_flops", ctypes.c_int64), ("num_neg", ctypes.c_int),
                ("num_sup", ctypes.c_int), ("num_two", ctypes.c_int), ("stat", ctypes.c_int), ("cuda_error", ctypes.c_int),
                ("cublas_error", ctypes.c_int), ("maxsupernode", ctypes.c_int), ("unused", ctypes.c_char * 76)]


class Ssids:
    def __init__(self, variant, n, starts, rows, values):
        self.spral = interface.library("spral")
        self.options, self.inform = Options(), Inform()
        self.spral.spral_ssids_default_options(ctypes.byref(self.options))
        self.options.use_gpu = False
        self.options.unit_warning = self.options.unit_error = -1
        self.options.ordering, self.options.scaling = (2, 3) if variant == "matching" else (1, 1)
        self.n, self.values = n, values
        self.starts, self.rows = starts.astype(np.int64), rows
        self.analysis, self.numeric = ctypes.c_void_p(), ctypes.c_void_p()

    @staticmethod
    def version():
        interface.library("spral")
        return "SSIDS"

    def _checked(self):
        if self.inform.flag < 0:
            raise interface.PeerFailed(f"SSIDS returned the error {self.inform.flag}")

    def _common(self):
        return ctypes.byref(self.options), ctypes.byref(self.inform)

    def analyze(self):
        self.spral.spral_ssids_analyse(ctypes.c_bool(False), self.n, None, self.starts.ctypes, self.rows.ctypes, self.values.ctypes,
                                       ctypes.byref(self.analysis), *self._common())
        self._checked()

    def factor(self):
        self.spral.spral_ssids_factor(ctypes.c_bool(False), self.starts.ctypes, self.rows.ctypes, self.values.ctypes, None, self.analysis,
                                      ctypes.byref(self.numeric), *self._common())
        self._checked()

    def solve(self, b):
        x = b.copy()
        self.spral.spral_ssids_solve1(0, x.ctypes, self.analysis, self.numeric, *self._common())
        self._checked()
        return x

    def answer(self):
        rank, negative = self.inform.matrix_rank, self.inform.num_neg
        return {"inertia": [rank - negative, negative, self.n - rank], "status": "exact", "perturbed": 0, "delayed": self.inform.num_delay}


if __name__ == "__main__":
    sys.exit(interface.main(Ssids))
