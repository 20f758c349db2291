// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "bindings/pardiso/checks.hpp"
#include "bindings/pardiso/messages.hpp"
#include "bindings/pardiso/run.hpp"
#include "espalier/export.hpp"

/// The functions of libespalier_pardiso.so, with the arguments of Panua's PARDISO. A name with an
/// underscore is the name of the same function for Fortran.

using namespace espalier::internal;  // NOLINT: the functions below are in the global namespace

using Int = std::int32_t;

extern "C" {

ESPALIER_EXPORT void pardisoinit(void* pt, const Int* mtype, const Int* solver, Int* iparm,
                                 double* dparm, Int* error) {
  const int code = guarded(false, [&] {
    initialize(Dialect::panua, pt, expect_given(mtype, "mtype"), expect_given(iparm, "iparm"));
    if (dparm != nullptr) std::fill_n(dparm, 64, 0.0);
    if (solver == nullptr || *solver == 0) return;
    throw espalier::UsageError("the iterative solver is not supported; set solver to 0");
  });
  if (error != nullptr) *error = code;
}

ESPALIER_EXPORT void pardiso(void* pt, const Int* maxfct, const Int* mnum, const Int* mtype,
                             const Int* phase, const Int* n, const double* a, const Int* ia,
                             const Int* ja, Int* perm, const Int* nrhs, Int* iparm,
                             const Int* msglvl, double* b, double* x, Int* error, double* dparm) {
  run_for_caller<Int>(
      Dialect::panua,
      {pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, msglvl, b, x}, error,
      dparm);
}

/// Sets the error to -1, with a message, unless the matrix is an upper triangle of a supported type
/// with finite values.
ESPALIER_EXPORT void pardiso_chkmatrix(const Int* mtype, const Int* n, const double* a,
                                       const Int* ia, const Int* ja, Int* error) {
  const int code = guarded(true, [&] { checked_matrix({mtype, n, a, ia, ja}); });
  if (error != nullptr) *error = code;
}

/// Sets the error to -1, with a message, unless all right-hand sides are finite.
ESPALIER_EXPORT void pardiso_chkvec(const Int* n, const Int* nrhs, const double* b, Int* error) {
  const int code = guarded(true, [&] {
    MatrixFacts facts;
    check_vectors({.n = n, .nrhs = nrhs, .b = b}, facts);
  });
  if (error != nullptr) *error = code;
}

/// Prints facts about the matrix and the right-hand sides to standard output. Checks them as the
/// functions above do.
ESPALIER_EXPORT void pardiso_printstats(const Int* mtype, const Int* n, const double* a,
                                        const Int* ia, const Int* ja, const Int* nrhs,
                                        const double* b, Int* error) {
  const int code = guarded(true, [&] {
    const CallerSystem system{mtype, n, a, ia, ja, nrhs, b};
    MatrixFacts facts = checked_matrix(system);
    check_vectors(system, facts);
    print_matrix(facts);
  });
  if (error != nullptr) *error = code;
}

/// Returns the error -1, with a message, because Schur complements are not supported.
ESPALIER_EXPORT int pardiso_get_schur(void* /*pt*/, const Int* /*maxfct*/, const Int* /*mnum*/,
                                      const Int* /*mtype*/, double* /*s*/, Int* /*is*/,
                                      Int* /*js*/) {
  return guarded(true, [] {
    throw espalier::UsageError("Schur complements are not supported; set iparm(38) to 0");
  });
}

/// Ipopt looks up this name and never calls the function. The name says that pardiso() has the
/// arguments of version 4 and newer.
ESPALIER_EXPORT void pardiso_ipopt_newinterface(void) {}
/// As above. The name says that pardiso() uses several cores.
ESPALIER_EXPORT void pardiso_exist_parallel(void) {}

ESPALIER_EXPORT decltype(pardisoinit) pardisoinit_ __attribute__((alias("pardisoinit")));
ESPALIER_EXPORT decltype(pardiso) pardiso_ __attribute__((alias("pardiso")));
ESPALIER_EXPORT decltype(pardiso_chkmatrix) pardiso_chkmatrix_
    __attribute__((alias("pardiso_chkmatrix")));
ESPALIER_EXPORT decltype(pardiso_chkvec) pardiso_chkvec_ __attribute__((alias("pardiso_chkvec")));
ESPALIER_EXPORT decltype(pardiso_printstats) pardiso_printstats_
    __attribute__((alias("pardiso_printstats")));
ESPALIER_EXPORT decltype(pardiso_get_schur) pardiso_get_schur_
    __attribute__((alias("pardiso_get_schur")));
}
