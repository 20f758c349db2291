# SPDX-License-Identifier: BSD-3-Clause
"""PARDISO of MKL, matrix type -2, through its interface for C. Variant `matching`: with symmetric weighted matching and scaling, as its
manual advises for saddle point matrices."""
import ctypes
import sys

import numpy as np

import interface

REAL_INDEFINITE = -2


class Pardiso:
    def __init__(self, variant, n, starts, rows, values):
        self.mkl = interface.library("mkl_rt")
        self.n, self.starts, self.rows, self.values = n, starts, rows, values
        self.memory = (ctypes.c_void_p * 64)()
        self.iparm = (ctypes.c_int * 64)()
        settings = {0: 1, 1: 2, 9: 8, 20: 1, 34: 1}  # own settings; METIS; threshold 1e-8; Bunch-Kaufman; numbers from 0
        if variant == "matching":
            settings.update({10: 1, 12: 1})
        for index, value in settings.items():
            self.iparm[index] = value

    @staticmethod
    def version():
        text = ctypes.create_string_buffer(198)
        interface.library("mkl_rt").mkl_get_version_string(text, len(text))
        return text.value.decode().strip()

    def _call(self, phase, b, x):
        def number(value):
            return ctypes.byref(ctypes.c_int(value))
        error = ctypes.c_int(0)
        self.mkl.pardiso(self.memory, number(1), number(1), number(REAL_INDEFINITE), number(phase), number(self.n), self.values.ctypes,
                         self.starts.ctypes, self.rows.ctypes, None, number(1), self.iparm, number(0), b, x, ctypes.byref(error))
        if error.value:
            raise interface.PeerFailed(f"PARDISO returned the error {error.value} in phase {phase}")

    def analyze(self):
        self._call(11, None, None)

    def factor(self):
        self._call(22, None, None)

    def solve(self, b):
        x = np.empty(self.n)
        self._call(33, b.copy().ctypes, x.ctypes)
        return x

    def answer(self):
        positive, negative, perturbed = self.iparm[21], self.iparm[22], self.iparm[13]
        return {"inertia": [positive, negative, self.n - positive - negative], "status": "uncertain" if perturbed else "exact",
                "perturbed": perturbed}


if __name__ == "__main__":
    sys.exit(interface.main(Pardiso))
