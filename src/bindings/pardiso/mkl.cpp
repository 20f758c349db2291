// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "bindings/pardiso/run.hpp"
#include "espalier/export.hpp"

/// The solver in libespalier_mkl_rt.so, with the arguments of PARDISO in MKL. A name with an
/// underscore is the name of the same function for Fortran.

using namespace espalier::internal;  // NOLINT: the functions below are in the global namespace

using Int = std::int32_t;
using Int64 = std::int64_t;

extern "C" {

ESPALIER_EXPORT void pardisoinit(void* pt, const Int* mtype, Int* iparm) {
  guarded(false, [&] {
    initialize(Dialect::mkl, pt, expect_given(mtype, "mtype"), expect_given(iparm, "iparm"));
  });
}

ESPALIER_EXPORT void pardiso(void* pt, const Int* maxfct, const Int* mnum, const Int* mtype,
                             const Int* phase, const Int* n, const void* a, const Int* ia,
                             const Int* ja, Int* perm, const Int* nrhs, Int* iparm,
                             const Int* msglvl, void* b, void* x, Int* error) {
  run_for_caller<Int>(
      Dialect::mkl, {pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, msglvl, b, x},
      error, nullptr);
}

ESPALIER_EXPORT void pardiso_64(void* pt, const Int64* maxfct, const Int64* mnum,
                                const Int64* mtype, const Int64* phase, const Int64* n,
                                const void* a, const Int64* ia, const Int64* ja, Int64* perm,
                                const Int64* nrhs, Int64* iparm, const Int64* msglvl, void* b,
                                void* x, Int64* error) {
  run_for_caller<Int64>(
      Dialect::mkl, {pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, msglvl, b, x},
      error, nullptr);
}

ESPALIER_EXPORT decltype(pardisoinit) pardisoinit_ __attribute__((alias("pardisoinit")));
ESPALIER_EXPORT decltype(pardiso) pardiso_ __attribute__((alias("pardiso")));
ESPALIER_EXPORT decltype(pardiso_64) pardiso_64_ __attribute__((alias("pardiso_64")));
}
