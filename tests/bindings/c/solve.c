// SPDX-License-Identifier: BSD-3-Clause
// Tests the results of the interface for C: for every layout of the arrays, for all systems, and
// for L. Returns 0, or prints the failed expectation.
#include "support.h"

/// Analyzes one layout, factors, and solves for two vectors with a gap between them.
static void expect_solves(char uplo, int base, int short_offsets) {
  const char* const options[] = {"ordering=amd", "workers=2", "sched=prio", "refine=2", NULL};
  const laplacian a = make_laplacian(base, uplo);
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  if (short_offsets) {
    EXPECT(espalier_analyze_i32(order, a.short_colptr, a.row, base, uplo, options, &analysis) ==
           ESPALIER_OK);
  } else {
    EXPECT(espalier_analyze(order, a.colptr, a.row, base, uplo, options, &analysis) == ESPALIER_OK);
  }
  EXPECT(espalier_factor_create(analysis, options, &factor) == ESPALIER_OK);
  espalier_analysis_free(&analysis);
  EXPECT(analysis == NULL);
  int64_t bad_column = 17;
  EXPECT(espalier_factorize(factor, a.value, &bad_column) == ESPALIER_OK);
  EXPECT(bad_column == -1);

  enum { ldb = order + 3, ldx = order + 1 };
  double known[2 * ldx];
  double b[2 * ldb];
  double x[2 * ldx];
  double error = 1;
  fill_vector(known, 2 * ldx);
  multiply(known, b);
  multiply(known + ldx, b + ldb);
  EXPECT(espalier_solve(factor, ESPALIER_A, 2, b, ldb, x, ldx, &error) == ESPALIER_OK);
  EXPECT(error < 1e-14);
  expect_close(x, known, order);
  expect_close(x + ldx, known + ldx, order);
  EXPECT(espalier_solve(factor, ESPALIER_A, 2, b, ldb, b, ldb, NULL) == ESPALIER_OK);
  expect_close(b, known, order);
  expect_close(b + ldb, known + ldx, order);
  espalier_factor_free(&factor);
  EXPECT(factor == NULL);
}

/// Sets y to P' L L' P x, with the L that espalier_lower() returns.
static void multiply_by_factor(espalier_factor* factor, int keep_zeros, const double* x,
                               double* y) {
  int64_t entries = 0;
  EXPECT(espalier_lower(factor, keep_zeros, &entries, NULL, NULL, NULL) == ESPALIER_OK);
  int64_t colptr[order + 1];
  int32_t* const row = malloc((size_t)entries * sizeof *row);
  double* const value = malloc((size_t)entries * sizeof *value);
  EXPECT(row != NULL && value != NULL);
  EXPECT(espalier_lower(factor, keep_zeros, &entries, colptr, row, value) == ESPALIER_OK);
  EXPECT(colptr[0] == 1 && colptr[order] == entries + 1);
  double permuted[order];
  double product[order] = {0};
  EXPECT(espalier_solve(factor, ESPALIER_P, 1, x, order, permuted, order, NULL) == ESPALIER_OK);
  for (int j = 0; j < order; ++j) {
    double sum = 0;
    for (int64_t k = colptr[j] - 1; k < colptr[j + 1] - 1; ++k) {
      sum += value[k] * permuted[row[k] - 1];
    }
    for (int64_t k = colptr[j] - 1; k < colptr[j + 1] - 1; ++k)
      product[row[k] - 1] += value[k] * sum;
  }
  EXPECT(espalier_solve(factor, ESPALIER_PT, 1, product, order, y, order, NULL) == ESPALIER_OK);
  free(row);
  free(value);
}

/// Expects that L is a factor of A, and that all functions agree about L.
static void expect_parts(espalier_factor* factor, const espalier_analysis* analysis) {
  double x[order];
  double y[order];
  double expected[order];
  fill_vector(x, order);
  multiply(x, expected);
  for (int keep_zeros = 0; keep_zeros < 2; ++keep_zeros) {
    multiply_by_factor(factor, keep_zeros, x, y);
    expect_close(y, expected, order);
  }
  const int systems[] = {ESPALIER_P, ESPALIER_L, ESPALIER_LT, ESPALIER_PT};
  for (int k = 0; k < 4; ++k) {
    double error = 1;
    EXPECT(espalier_solve(factor, systems[k], 1, y, order, y, order, &error) == ESPALIER_OK);
    EXPECT(error == 0);
  }
  expect_close(y, x, order);
  int64_t entries = 0;
  int64_t of_analysis = 0;
  double flops = 0;
  EXPECT(espalier_lower(factor, 1, &entries, NULL, NULL, NULL) == ESPALIER_OK);
  EXPECT(espalier_analysis_size(analysis, &of_analysis, &flops) == ESPALIER_OK);
  EXPECT(entries == of_analysis && flops > 0);
  int32_t permutation[order];
  EXPECT(espalier_permutation(analysis, permutation) == ESPALIER_OK);
  EXPECT(espalier_solve(factor, ESPALIER_P, 1, x, order, y, order, NULL) == ESPALIER_OK);
  for (int k = 0; k < order; ++k) EXPECT(y[k] == x[permutation[k] - 1]);
}

static void expect_determinant(espalier_factor* factor) {
  double diagonal[order];
  double sum = 0;
  double logarithm = 0;
  double mantissa = 0;
  int64_t exponent = 0;
  EXPECT(espalier_diagonal(factor, diagonal) == ESPALIER_OK);
  for (int k = 0; k < order; ++k) sum += 2 * log(diagonal[k]);
  EXPECT(espalier_logdet(factor, &logarithm) == ESPALIER_OK);
  expect_close(&logarithm, &sum, 1);
  EXPECT(espalier_determinant(factor, &mantissa, &exponent) == ESPALIER_OK);
  const double of_both = log(mantissa) + (double)exponent * log(2);
  expect_close(&of_both, &sum, 1);
}

/// Solves for a matrix without rows, whose arrays may be null.
static void expect_no_rows(void) {
  const int64_t colptr[] = {0};
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  EXPECT(espalier_analyze(0, colptr, NULL, 0, 'L', NULL, &analysis) == ESPALIER_OK);
  EXPECT(espalier_permutation(analysis, NULL) == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, NULL, &factor) == ESPALIER_OK);
  EXPECT(espalier_factorize(factor, NULL, NULL) == ESPALIER_OK);
  double error = 1;
  EXPECT(espalier_solve(factor, ESPALIER_A, 2, NULL, 0, NULL, 0, &error) == ESPALIER_OK);
  EXPECT(error == 0);
  EXPECT(espalier_solve(factor, ESPALIER_L, 1, NULL, 0, NULL, 0, NULL) == ESPALIER_OK);
  EXPECT(espalier_diagonal(factor, NULL) == ESPALIER_OK);
  espalier_factor_free(&factor);
  espalier_analysis_free(&analysis);
}

/// Expects the separator tree, and the same order from a file and after a repeated analysis.
static void expect_reused_order(void) {
  const laplacian a = make_laplacian(1, 'L');
  const char* const dissection[] = {"ordering=dissection", NULL};
  const char* const from_file[] = {"ordering=saved_order.txt", NULL};
  espalier_analysis* first = NULL;
  espalier_analysis* second = NULL;
  int32_t permutation[order];
  int32_t again[order];
  int32_t columns[order];
  int32_t parts = 0;
  int32_t parent[2 * order + 1];
  int32_t begin[2 * order + 1];
  int32_t end[2 * order + 1];
  EXPECT(espalier_analyze(order, a.colptr, a.row, 1, 'L', dissection, &first) == ESPALIER_OK);
  EXPECT(espalier_permutation(first, permutation) == ESPALIER_OK);
  EXPECT(espalier_separator_tree(first, columns, &parts, parent, begin, end) == ESPALIER_OK);
  EXPECT(parts >= 1 && parent[parts - 1] == -1 && begin[0] == 0 && end[parts - 1] == order);
  EXPECT(espalier_separator_tree(first, NULL, NULL, NULL, NULL, NULL) == ESPALIER_OK);
  int64_t sum = 0;
  for (int k = 0; k < order; ++k) sum += columns[k];
  EXPECT(sum == order * (order + 1) / 2);

  EXPECT(espalier_save_ordering(first, "saved_order.txt") == ESPALIER_OK);
  EXPECT(espalier_analyze(order, a.colptr, a.row, 1, 'L', from_file, &second) == ESPALIER_OK);
  EXPECT(espalier_permutation(second, again) == ESPALIER_OK);
  EXPECT(memcmp(permutation, again, sizeof again) == 0);
  espalier_analysis_free(&second);
  EXPECT(remove("saved_order.txt") == 0);
  EXPECT(espalier_save_ordering(first, "no/such/folder") == ESPALIER_INPUT);
  EXPECT(espalier_save_ordering(first, NULL) == ESPALIER_USAGE);

  int32_t previous_column[order];
  for (int k = 0; k < order; ++k) previous_column[k] = k + 1;
  for (int given = 0; given < 2; ++given) {
    EXPECT(espalier_analyze_again(order, a.colptr, a.row, 1, 'L', dissection, first,
                                  given ? previous_column : NULL, &second) == ESPALIER_OK);
    EXPECT(espalier_permutation(second, again) == ESPALIER_OK);
    EXPECT(memcmp(permutation, again, sizeof again) == 0);
    espalier_analysis_free(&second);
  }
  previous_column[0] = 2;
  EXPECT(espalier_analyze_again(order, a.colptr, a.row, 1, 'L', dissection, first, previous_column,
                                &second) == ESPALIER_USAGE);
  EXPECT(espalier_analyze_again(order, a.colptr, a.row, 1, 'L', dissection, NULL, NULL, &second) ==
         ESPALIER_USAGE);
  EXPECT(second == NULL);
  espalier_analysis_free(&first);
}

int main(void) {
  expect_reused_order();
  const char triangles[] = {'L', 'U', 'F'};
  for (int t = 0; t < 3; ++t) {
    for (int layout = 0; layout < 4; ++layout) {
      expect_solves(triangles[t], layout % 2, layout / 2);
    }
  }
  expect_no_rows();
  const laplacian a = make_laplacian(1, 'U');
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  EXPECT(espalier_analyze(order, a.colptr, a.row, 1, 'U', NULL, &analysis) == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, NULL, &factor) == ESPALIER_OK);
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  expect_parts(factor, analysis);
  expect_determinant(factor);
  espalier_factor_free(&factor);
  espalier_analysis_free(&analysis);
  return 0;
}
