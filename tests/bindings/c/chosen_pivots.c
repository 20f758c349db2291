// SPDX-License-Identifier: BSD-3-Clause
// Tests factorizations of shifted Laplacians that choose their pivots by the interface for C,
// against their known eigenvalues. Returns 0, or prints the failed expectation.
#include "support.h"

static const char* const ldlt[] = {"factorization=ldlt", "workers=2", NULL};

/// Returns the Laplacian with another diagonal.
static laplacian make_shifted(char uplo, double diagonal) {
  laplacian a = make_laplacian(0, uplo);
  for (int j = 0; j < order; ++j) {
    for (int64_t k = a.colptr[j]; k < a.colptr[j + 1]; ++k) {
      if (a.row[k] == j) a.value[k] = diagonal;
    }
  }
  return a;
}

/// Returns an eigenvalue of the matrix with this diagonal, for i and j from 1 to `side`.
static double eigenvalue(double diagonal, int i, int j) {
  const double step = acos(-1) / (side + 1);
  return diagonal - 2 * cos(i * step) - 2 * cos(j * step);
}

/// Returns a factor of the matrix, whose analysis has its values unless `matching` is null.
static espalier_factor* make_factor(const laplacian* a, char uplo, const char* const* matching) {
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  const int code = matching == NULL
                       ? espalier_analyze(order, a->colptr, a->row, 0, uplo, NULL, &analysis)
                       : espalier_analyze_values(order, a->colptr, a->row, a->value, 0, uplo,
                                                 matching, &analysis);
  EXPECT(code == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, ldlt, &factor) == ESPALIER_OK);
  espalier_analysis_free(&analysis);
  return factor;
}

/// Expects the inertia and the determinant of the matrix with this diagonal, and a solution.
static void expect_results(espalier_factor* factor, double diagonal) {
  const laplacian whole = make_shifted('F', diagonal);
  int64_t counts[3] = {-1, -1, -1};
  int64_t negative = 0;
  int64_t replaced = -1;
  int64_t singular = 0;
  int certain = 0;
  double expected = 0;
  double logarithm = 0;
  double growth = 0;
  double known[order];
  double b[order] = {0};
  double x[order];
  for (int i = 1; i <= side; ++i) {
    for (int j = 1; j <= side; ++j) {
      negative += eigenvalue(diagonal, i, j) < 0;
      expected += log(fabs(eigenvalue(diagonal, i, j)));
    }
  }
  EXPECT(espalier_inertia(factor, &counts[0], &counts[1], &counts[2], &certain) == ESPALIER_OK);
  EXPECT(counts[0] == order - negative && counts[1] == negative && counts[2] == 0 && certain == 1);
  EXPECT(espalier_logdet(factor, &logarithm) == ESPALIER_OK);
  EXPECT(fabs(logarithm - expected) < 1e-10 * order);
  EXPECT(espalier_growth(factor, &growth) == ESPALIER_OK && growth >= 0.25 && growth < 1000);
  EXPECT(espalier_replaced_pivots(factor, &replaced, NULL) == ESPALIER_OK && replaced == 0);
  EXPECT(espalier_singular_column(factor, &singular) == ESPALIER_OK && singular == -1);
  fill_vector(known, order);
  for (int j = 0; j < order; ++j) {
    for (int64_t k = whole.colptr[j]; k < whole.colptr[j + 1]; ++k) {
      b[whole.row[k]] += whole.value[k] * known[j];
    }
  }
  EXPECT(espalier_solve(factor, ESPALIER_A, 1, b, order, x, order, NULL) == ESPALIER_OK);
  for (int i = 0; i < order; ++i) EXPECT(fabs(x[i] - known[i]) < 1e-10);
}

static void factor_and_solve(void) {
  const char* const no_options[] = {NULL};
  const char* const no_pairs[] = {"matching=0", NULL};
  const char* const* const all[] = {NULL, no_options, no_pairs};
  for (int which = 0; which < 3; ++which) {
    for (const char* uplo = "LUF"; *uplo != 0; ++uplo) {
      const laplacian a = make_shifted(*uplo, 0.3);
      const laplacian other = make_shifted(*uplo, -2.1);
      espalier_factor* factor = make_factor(&a, *uplo, all[which]);
      EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
      expect_results(factor, 0.3);
      EXPECT(espalier_factorize(factor, other.value, NULL) == ESPALIER_OK);
      expect_results(factor, -2.1);
      espalier_factor_free(&factor);
    }
  }
}

/// Pairs of columns change the structure of L.
static void pair_columns(void) {
  const char* const no_pairs[] = {"matching=0", NULL};
  const laplacian a = make_shifted('L', 1e-3);
  int64_t entries[2] = {0, 0};
  for (int which = 0; which < 2; ++which) {
    espalier_analysis* analysis = NULL;
    EXPECT(espalier_analyze_values(order, a.colptr, a.row, a.value, 0, 'L',
                                   which == 0 ? no_pairs : NULL, &analysis) == ESPALIER_OK);
    EXPECT(espalier_analysis_size(analysis, &entries[which], NULL) == ESPALIER_OK);
    espalier_analysis_free(&analysis);
  }
  EXPECT(entries[1] > entries[0]);
}

/// Without a diagonal, the Laplacian is singular.
static void doubt_singular_matrices(void) {
  const laplacian a = make_shifted('L', 0);
  const char* const no_options[] = {NULL};
  int64_t replaced = 0;
  int64_t singular = -1;
  int32_t columns[order];
  int certain = 1;
  espalier_factor* factor = make_factor(&a, 'L', no_options);
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  EXPECT(espalier_inertia(factor, NULL, NULL, NULL, &certain) == ESPALIER_OK && certain == 0);
  EXPECT(espalier_replaced_pivots(factor, &replaced, NULL) == ESPALIER_OK && replaced >= 1);
  EXPECT(espalier_replaced_pivots(factor, &replaced, columns) == ESPALIER_OK);
  EXPECT(espalier_singular_column(factor, &singular) == ESPALIER_OK);
  int named = 0;
  for (int64_t k = 0; k < replaced; ++k) named |= columns[k] == singular;
  EXPECT(named == 1);
  espalier_factor_free(&factor);
}

static void expect_failure(int code, int expected, const char* words) {
  EXPECT(code == expected);
  EXPECT(strstr(espalier_last_error(), words) != NULL);
}

static void refuse_wrong_use(void) {
  const char* const matching[] = {"matching=1", NULL};
  const char* const regularized[] = {"factorization=ldlt", "regularization=1e-8,0,0,0", NULL};
  laplacian a = make_shifted('L', 0.3);
  double diagonal[order];
  int64_t column = 0;
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  expect_failure(espalier_analyze_values(order, a.colptr, a.row, NULL, 0, 'L', NULL, &analysis),
                 ESPALIER_USAGE, "values is null");
  expect_failure(espalier_analyze(order, a.colptr, a.row, 0, 'L', matching, &analysis),
                 ESPALIER_USAGE, "only a pattern");
  EXPECT(analysis == NULL);
  EXPECT(espalier_analyze_values_i32(order, a.short_colptr, a.row, a.value, 0, 'L', NULL,
                                     &analysis) == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, regularized, &factor) == ESPALIER_OK);
  espalier_analysis_free(&analysis);
  expect_failure(espalier_factorize(factor, a.value, NULL), ESPALIER_USAGE, "needs the signs");
  espalier_factor_free(&factor);

  factor = make_factor(&a, 'L', ldlt);
  expect_failure(espalier_singular_column(factor, &column), ESPALIER_USAGE, "factorize()");
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  expect_failure(espalier_singular_column(factor, NULL), ESPALIER_USAGE, "column is null");
  expect_failure(espalier_diagonal(factor, diagonal), ESPALIER_USAGE, "L is not a triangle");
  espalier_factor_free(&factor);
  a.value[0] = NAN;
  expect_failure(espalier_analyze_values(order, a.colptr, a.row, a.value, 0, 'L', NULL, &analysis),
                 ESPALIER_INPUT, "finite");
}

int main(void) {
  factor_and_solve();
  pair_columns();
  doubt_singular_matrices();
  refuse_wrong_use();
  return 0;
}
