// SPDX-License-Identifier: BSD-3-Clause
#ifndef ESPALIER_BENCH_BINDINGS_BINDING_H
#define ESPALIER_BENCH_BINDINGS_BINDING_H

#include <stdint.h>

/// \file
/// The steps that main.cpp times. Each program of this folder implements them for one interface.
/// They are in C, so that any language can implement them. A step that fails calls bench_fail().

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names of C
/// A symmetric matrix, with the compressed columns of its lower triangle, counted from 0, rows
/// ascending. The arrays live until bench_close().
typedef struct {
  int32_t n;
  const int64_t* colptr;
  const int32_t* row;
  const double* value;
} bench_matrix;
// NOLINTEND(readability-identifier-naming)

/// Converts the matrix to the format of this interface. `solver` is "espalier", or another solver
/// with the same interface. Not timed.
void bench_open(const char* solver, int workers, const bench_matrix* matrix);

/// Orders and analyzes the pattern.
void bench_analyze(void);

/// Factors the matrix. Called several times.
void bench_factorize(void);

/// Solves A x = b for vectors of n entries, in the format of the interface.
void bench_solve(const double* b, double* x);

/// Frees everything.
void bench_close(void);

/// Ends the program with exit code 1 and prints the reason.
void bench_fail(const char* reason);

#ifdef __cplusplus
}
#endif

#endif
