// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b from C, for a chain of springs. The matrix is given by its upper triangle.
#include <espalier.h>
#include <stdint.h>
#include <stdio.h>

enum { n = 1000 };

/// Prints the message of the last failure, and returns the code.
static int failed(int code) {
  fprintf(stderr, "%s\n", espalier_last_error());
  return code;
}

int main(void) {
  // Compressed columns, counted from 0. Column j has an entry above the diagonal and the diagonal.
  static int64_t colptr[n + 1];
  static int32_t row[2 * n];
  static double value[2 * n], b[n], x[n];
  for (int32_t j = 0; j < n; ++j) {
    int64_t end = colptr[j];
    if (j > 0) row[end] = j - 1, value[end++] = -1;
    row[end] = j, value[end++] = 2.5;
    colptr[j + 1] = end;
    b[j] = 1;
  }

  // All calls may get the same list: each uses only the options of its phase.
  const char* const options[] = {"ordering=amd", "workers=1", NULL};
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  int code = espalier_analyze(n, colptr, row, 0, 'U', options, &analysis);
  if (code == ESPALIER_OK) code = espalier_factor_create(analysis, options, &factor);

  // Call espalier_factorize() again for other values; it then allocates only a copy of them.
  int64_t bad_column = -1;
  double error = 1, logarithm = 0;
  if (code == ESPALIER_OK) code = espalier_factorize(factor, value, &bad_column);
  if (code == ESPALIER_OK) code = espalier_solve(factor, ESPALIER_A, 1, b, n, x, n, &error);
  if (code == ESPALIER_OK) code = espalier_logdet(factor, &logarithm);
  espalier_factor_free(&factor);
  espalier_analysis_free(&analysis);
  if (code != ESPALIER_OK) return failed(code);
  printf("backward error %.1e, log det A = %.6f\n", error, logarithm);
  return error < 1e-12 ? 0 : 1;
}
