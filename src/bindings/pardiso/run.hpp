// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "bindings/pardiso/arguments.hpp"
#include "bindings/pardiso/failure.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

/// Runs the phases of one call:
///
/// - 11, 12, 13, 22, 23, 33: from the first digit to the second; 1 is the analysis, 2 the
///   factorization and 3 the solve.
/// - 331, 332, 333: only the forward, the diagonal or the backward part of a solve.
/// - 0: frees the factor with the number `mnum`.
/// - -1: frees everything that belongs to the handle.
///
/// Throws the exceptions of the library and PardisoFailure.
void run(const Call& call);

/// Throws UsageError if the matrix type is not supported or the number of rows is wrong.
void expect_matrix(const Call& call);

/// Empties a handle and sets all parameters to their defaults. Does nothing to a null handle.
void initialize(Dialect dialect, void* pt, Count mtype, std::int32_t& iparm);

/// The arguments of pardiso() that both libraries have, as callers pass them.
template <class Int>
struct CallerArguments {
  void* pt;
  const Int* maxfct;
  const Int* mnum;
  const Int* mtype;
  const Int* phase;
  const Int* n;
  const void* a;
  const Int* ia;
  const Int* ja;
  Int* perm;
  const Int* nrhs;
  Int* iparm;
  const Int* msglvl;
  void* b;
  void* x;
};

/// Returns the object at a pointer. Throws UsageError if the pointer is null.
template <class T>
T& expect_given(T* pointer, const char* name) {
  if (pointer != nullptr) return *pointer;
  throw UsageError("the argument " + std::string(name) + " is null");
}

/// Runs one call with the arguments of a caller. Stores the parameters and the error code.
template <class Int>
void run_for_caller(Dialect dialect, const CallerArguments<Int>& from, Int* error,
                    double* dparm) noexcept {
  const bool verbose = from.msglvl != nullptr && *from.msglvl > 0;
  Parameters parameters;
  if (from.iparm != nullptr) parameters.read(from.iparm);
  const int code = guarded(verbose, [&] {
    expect_given(from.iparm, "iparm");
    run({.dialect = dialect,
         .pt = &expect_given(static_cast<void**>(from.pt), "pt"),
         .maxfct = expect_given(from.maxfct, "maxfct"),
         .mnum = expect_given(from.mnum, "mnum"),
         .mtype = expect_given(from.mtype, "mtype"),
         .phase = expect_given(from.phase, "phase"),
         .n = expect_given(from.n, "n"),
         .a = static_cast<const double*>(from.a),
         .ia = ConstantIntegers(from.ia),
         .ja = ConstantIntegers(from.ja),
         .perm = MutableIntegers(from.perm),
         .nrhs = from.nrhs != nullptr ? Count{*from.nrhs} : 0,
         .iparm = parameters,
         .msglvl = verbose ? 1 : 0,
         .b = static_cast<double*>(from.b),
         .x = static_cast<double*>(from.x),
         .dparm = dparm});
  });
  if (from.iparm != nullptr) parameters.write(from.iparm);
  if (error != nullptr) *error = code;
}

}  // namespace espalier::internal
