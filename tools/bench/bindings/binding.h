// SPDX-License-Identifier: BSD-3-Clause
#ifndef ESPALIER_BENCH_BINDINGS_BINDING_H
#define ESPALIER_BENCH_BINDINGS_BINDING_H

#include <stdint.h>

/// \file
/// The steps that main.cpp times, which every program here has for one interface: in C, so that any
/// language can have them. A step that fails calls bench_fail().

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(readability-identifier-naming): names of C
/// A symmetric matrix, its lower triangle by compressed columns that count from 0, rows ascending;
/// the arrays live until bench_close().
typedef struct {
  int32_t n;
  const int64_t* colptr;
  const int32_t* row;
  const double* value;
} bench_matrix;
// NOLINTEND(readability-identifier-naming)

/// Makes what a program of this interface has before it solves: the matrix in its own form.
/// `solver` is "espalier", or another one that has the same interface. Not timed.
void bench_open(const char* solver, int workers, const bench_matrix* matrix);

/// Orders and analyzes the pattern.
void bench_analyze(void);

/// Factors the matrix, for the first or another time.
void bench_factorize(void);

/// Solves A x = b for vectors of n entries, with what the interface has them in.
void bench_solve(const double* b, double* x);

/// Frees all.
void bench_close(void);

/// Ends the program with exit code 1 and says why.
void bench_fail(const char* reason);

#ifdef __cplusplus
}
#endif

#endif
