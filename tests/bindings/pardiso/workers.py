# SPDX-License-Identifier: BSD-3-Clause
"""Factors with one worker and then with two, as the functions of MKL for threads ask. Usage: workers.py LIBRARY"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
Numbers = ctypes.c_int * 64


def factor():
    handle, parameters, error = (ctypes.c_void_p * 64)(), Numbers(), ctypes.c_int(77)
    library.pardisoinit(handle, ctypes.byref(ctypes.c_int(2)), parameters)
    values, begin, column = (ctypes.c_double * 3)(2, 2, 2), (ctypes.c_int * 4)(1, 2, 3, 4), (ctypes.c_int * 3)(1, 2, 3)
    for phase in (12, -1):
        numbers = [ctypes.byref(ctypes.c_int(number)) for number in (1, 1, 2, phase, 3)]
        library.pardiso(handle, *numbers, values, begin, column, None, ctypes.byref(ctypes.c_int(1)), parameters,
                        ctypes.byref(ctypes.c_int(1 if phase == 12 else 0)), None, None, ctypes.byref(error))
        assert error.value == 0, error.value


for workers in (1, 2):
    library.MKL_Set_Num_Threads(workers)
    factor()
    print(library.mkl_get_max_threads(), flush=True)
