// SPDX-License-Identifier: BSD-3-Clause
#ifndef ESPALIER_TESTS_BINDINGS_C_SUPPORT_H
#define ESPALIER_TESTS_BINDINGS_C_SUPPORT_H

#include <espalier.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Prints the place and ends the program with code 1 unless the condition holds.
#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s; the last error: %s\n", __FILE__, __LINE__, #condition, \
              espalier_last_error());                                                    \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

enum { side = 9, order = side * side, most_entries = 5 * order };

/// The Laplacian of a grid of side x side points, in compressed columns.
typedef struct {
  int64_t colptr[order + 1];
  int32_t short_colptr[order + 1];
  int32_t row[most_entries];
  double value[most_entries];
} laplacian;

/// Appends an entry if it is in the triangle uplo.
static inline void append_entry(laplacian* a, int64_t* entries, int i, int j, int base, char uplo) {
  if (i < 0 || (uplo == 'L' && i < j) || (uplo == 'U' && i > j)) return;
  a->row[*entries] = (int32_t)(i + base);
  a->value[(*entries)++] = i == j ? 4.5 : -1;
}

/// Returns the triangle 'L' or 'U' of the Laplacian, or all of it for 'F'. Rows descend, so that
/// the library must sort them.
static inline laplacian make_laplacian(int base, char uplo) {
  laplacian a;
  int64_t entries = 0;
  for (int j = 0; j < order; ++j) {
    a.colptr[j] = entries + base;
    append_entry(&a, &entries, j + side < order ? j + side : -1, j, base, uplo);
    append_entry(&a, &entries, j % side + 1 < side ? j + 1 : -1, j, base, uplo);
    append_entry(&a, &entries, j, j, base, uplo);
    append_entry(&a, &entries, j % side > 0 ? j - 1 : -1, j, base, uplo);
    append_entry(&a, &entries, j - side, j, base, uplo);
  }
  a.colptr[order] = entries + base;
  for (int j = 0; j <= order; ++j) a.short_colptr[j] = (int32_t)a.colptr[j];
  return a;
}

/// Sets y to the whole matrix times x.
static inline void multiply(const double* x, double* y) {
  const laplacian a = make_laplacian(0, 'F');
  memset(y, 0, order * sizeof *y);
  for (int j = 0; j < order; ++j) {
    for (int64_t k = a.colptr[j]; k < a.colptr[j + 1]; ++k) y[a.row[k]] += a.value[k] * x[j];
  }
}

/// Expects the same numbers, except for rounding.
static inline void expect_close(const double* x, const double* y, int count) {
  for (int i = 0; i < count; ++i) EXPECT(fabs(x[i] - y[i]) <= 1e-12 * (1 + fabs(y[i])));
}

/// Sets the entries to different numbers, some of them negative.
static inline void fill_vector(double* x, int count) {
  for (int i = 0; i < count; ++i) x[i] = (i % 3 == 0 ? -1.0 : 1.0) / (1 + i % 7);
}

#endif
