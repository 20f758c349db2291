// SPDX-License-Identifier: BSD-3-Clause
#include <espalier.h>
#include <stddef.h>

/// Solves a system of two unknowns. Succeeds if the answer is accurate.
int main(void) {
  const int32_t colptr[] = {0, 2, 3};
  const int32_t row[] = {0, 1, 1};
  const double value[] = {4, -1, 5};
  const double b[] = {2, 9};
  double x[2];
  double error = 1;
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  if (espalier_analyze_i32(2, colptr, row, 0, 'L', NULL, &analysis) != ESPALIER_OK) return 1;
  if (espalier_factor_create(analysis, NULL, &factor) != ESPALIER_OK) return 1;
  if (espalier_factorize(factor, value, NULL) != ESPALIER_OK) return 1;
  if (espalier_solve(factor, ESPALIER_A, 1, b, 2, x, 2, &error) != ESPALIER_OK) return 1;
  espalier_factor_free(&factor);
  espalier_analysis_free(&analysis);
  return error < 1e-14 && x[1] > 1.99 && x[1] < 2.01 ? 0 : 1;
}
