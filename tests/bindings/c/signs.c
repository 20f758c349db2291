// SPDX-License-Identifier: BSD-3-Clause
// Tests factorizations A = L J L' with given signs by the interface for C, against a dense
// factorization. Returns 0, or prints the failed expectation.
#include "support.h"

static const char* const signed_options[] = {"factorization=ldlt", "workers=2", NULL};

/// Sets the signs of a quasi-definite matrix, and negates the block of the negative signs.
static void make_quasi_definite(laplacian* a, int base, signed char* signs) {
  for (int j = 0; j < order; ++j) signs[j] = j % 5 == 1 || j % 7 == 3 ? -1 : 1;
  for (int j = 0; j < order; ++j) {
    for (int64_t k = a->colptr[j] - base; k < a->colptr[j + 1] - base; ++k) {
      if (signs[j] < 0 && signs[a->row[k] - base] < 0) a->value[k] = -a->value[k];
    }
  }
}

/// Sets y to the whole matrix times x. The matrix counts from 0.
static void multiply_by(const laplacian* a, const double* x, double* y) {
  memset(y, 0, order * sizeof *y);
  for (int j = 0; j < order; ++j) {
    for (int64_t k = a->colptr[j]; k < a->colptr[j + 1]; ++k) y[a->row[k]] += a->value[k] * x[j];
  }
}

/// Sets the number of negative pivots of a dense factorization, and the logarithm of the magnitude
/// of the determinant.
static void factor_dense(const laplacian* a, int64_t* negative, double* logarithm) {
  static double dense[order][order];
  memset(dense, 0, sizeof dense);
  for (int j = 0; j < order; ++j) {
    for (int64_t k = a->colptr[j]; k < a->colptr[j + 1]; ++k) dense[a->row[k]][j] = a->value[k];
  }
  *negative = 0;
  *logarithm = 0;
  for (int j = 0; j < order; ++j) {
    *negative += dense[j][j] < 0;
    *logarithm += log(fabs(dense[j][j]));
    for (int i = j + 1; i < order; ++i) {
      const double multiplier = dense[i][j] / dense[j][j];
      for (int k = j; k < order; ++k) dense[i][k] -= multiplier * dense[j][k];
    }
  }
}

static espalier_factor* make_factor(const laplacian* a, int base, const char* const* options) {
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  EXPECT(espalier_analyze(order, a->colptr, a->row, base, 'F', NULL, &analysis) == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, options, &factor) == ESPALIER_OK);
  espalier_analysis_free(&analysis);
  return factor;
}

static void expect_results(espalier_factor* factor, const laplacian* a) {
  int64_t expected = 0;
  int64_t counts[3] = {-1, -1, -1};
  int64_t exponent = 0;
  int certain = 0;
  double expected_logarithm = 0;
  double logarithm = 0;
  double mantissa = 0;
  double growth = 0;
  factor_dense(a, &expected, &expected_logarithm);
  EXPECT(espalier_inertia(factor, &counts[0], &counts[1], &counts[2], &certain) == ESPALIER_OK);
  EXPECT(counts[0] == order - expected && counts[1] == expected && counts[2] == 0);
  EXPECT(certain == 1);
  EXPECT(espalier_inertia(factor, NULL, NULL, NULL, &certain) == ESPALIER_OK);
  EXPECT(espalier_growth(factor, &growth) == ESPALIER_OK);
  EXPECT(growth >= 0.25 && growth < 10);
  EXPECT(espalier_logdet(factor, &logarithm) == ESPALIER_OK);
  expect_close(&logarithm, &expected_logarithm, 1);
  EXPECT(espalier_determinant(factor, &mantissa, &exponent) == ESPALIER_OK);
  EXPECT((mantissa < 0) == (expected % 2 == 1));
  const double of_both = log(fabs(mantissa)) + (double)exponent * log(2);
  expect_close(&of_both, &expected_logarithm, 1);
}

/// Solves with all of A at once, and by P, L, J, L' and P'.
static void expect_solutions(espalier_factor* factor, const laplacian* a, const signed char* signs,
                             const int32_t* permutation) {
  double known[order];
  double b[order];
  double x[order];
  double error = 1;
  fill_vector(known, order);
  multiply_by(a, known, b);
  EXPECT(espalier_solve(factor, ESPALIER_A, 1, b, order, x, order, &error) == ESPALIER_OK);
  EXPECT(error < 1e-14);
  expect_close(x, known, order);
  EXPECT(espalier_solve(factor, ESPALIER_P, 1, b, order, x, order, NULL) == ESPALIER_OK);
  EXPECT(espalier_solve(factor, ESPALIER_L, 1, x, order, x, order, NULL) == ESPALIER_OK);
  for (int k = 0; k < order; ++k) x[k] *= signs[permutation[k]];
  EXPECT(espalier_solve(factor, ESPALIER_LT, 1, x, order, x, order, NULL) == ESPALIER_OK);
  EXPECT(espalier_solve(factor, ESPALIER_PT, 1, x, order, x, order, NULL) == ESPALIER_OK);
  expect_close(x, known, order);
}

static void factor_and_solve(void) {
  laplacian a = make_laplacian(0, 'F');
  signed char signs[order];
  int32_t permutation[order];
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  make_quasi_definite(&a, 0, signs);
  EXPECT(espalier_analyze(order, a.colptr, a.row, 0, 'F', NULL, &analysis) == ESPALIER_OK);
  EXPECT(espalier_permutation(analysis, permutation) == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, signed_options, &factor) == ESPALIER_OK);
  espalier_analysis_free(&analysis);
  EXPECT(espalier_set_signs(factor, signs) == ESPALIER_OK);
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  expect_results(factor, &a);
  expect_solutions(factor, &a, signs, permutation);

  // Other signs fit the negated matrix in the same memory.
  for (int j = 0; j < order; ++j) signs[j] = (signed char)-signs[j];
  for (int64_t k = 0; k < a.colptr[order]; ++k) a.value[k] = -a.value[k];
  EXPECT(espalier_set_signs(factor, signs) == ESPALIER_OK);
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  expect_results(factor, &a);
  expect_solutions(factor, &a, signs, permutation);
  espalier_factor_free(&factor);
}

/// Expects the inertia of a dense factorization.
static void expect_inertia(espalier_factor* factor, const laplacian* a) {
  int64_t expected = 0;
  int64_t counts[3] = {-1, -1, -1};
  double logarithm = 0;
  int certain = 0;
  factor_dense(a, &expected, &logarithm);
  EXPECT(espalier_inertia(factor, &counts[0], &counts[1], &counts[2], &certain) == ESPALIER_OK);
  EXPECT(counts[0] == order - expected && counts[1] == expected && counts[2] == 0);
  EXPECT(certain == 1);
}

static void expect_failure(int code, int expected, const char* words) {
  EXPECT(code == expected);
  EXPECT(strstr(espalier_last_error(), words) != NULL);
}

/// The option factorization=auto is L L' until a pivot is not positive. Then the factorization
/// chooses its pivots.
static void factor_automatically(void) {
  const char* const automatic[] = {"factorization=auto", "workers=2", NULL};
  const double shifts[] = {1.1, 1.7, 5};
  laplacian a = make_laplacian(0, 'F');
  double diagonal[order];
  signed char signs[order];
  memset(signs, 1, sizeof signs);
  espalier_factor* factor = make_factor(&a, 0, automatic);
  expect_failure(espalier_set_signs(factor, signs), ESPALIER_USAGE, "factorization=ldlt");
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  EXPECT(espalier_diagonal(factor, diagonal) == ESPALIER_OK);
  for (int s = 0; s < 3; ++s) {
    laplacian shifted = a;
    for (int j = 0; j < order; ++j) {
      for (int64_t k = a.colptr[j]; k < a.colptr[j + 1]; ++k) {
        if (a.row[k] == j) shifted.value[k] -= shifts[s];
      }
    }
    EXPECT(espalier_factorize(factor, shifted.value, NULL) == ESPALIER_OK);
    expect_inertia(factor, &shifted);
    expect_failure(espalier_diagonal(factor, diagonal), ESPALIER_USAGE, "chose its pivots");
  }
  espalier_factor_free(&factor);
}

/// The diagonal matrix with the numbers 1 and -1 of these signs.
static void make_diagonal(laplacian* a, const signed char* signs) {
  for (int j = 0; j < order; ++j) {
    a->colptr[j] = j + 1;
    a->row[j] = j + 1;
    a->value[j] = signs[j];
  }
  a->colptr[order] = order + 1;
}

/// A sign that the matrix does not have is a failure, unless such pivots are replaced.
static void name_wrong_signs(void) {
  const char* const replacing[] = {"factorization=ldlt", "regularization=0,0,1e-13,0.5", NULL};
  laplacian a;
  signed char signs[order];
  int64_t column = 0;
  int64_t count = -1;
  int32_t columns[2];
  int certain = 1;
  for (int j = 0; j < order; ++j) signs[j] = j % 2 == 0 ? 1 : -1;
  make_diagonal(&a, signs);
  signs[6] = -1;
  espalier_factor* factor = make_factor(&a, 1, signed_options);
  EXPECT(espalier_set_signs(factor, signs) == ESPALIER_OK);
  expect_failure(espalier_factorize(factor, a.value, &column), ESPALIER_NOT_POSITIVE_DEFINITE,
                 "does not have the given signs: the pivot of column 7, counted from 1, is zero");
  EXPECT(column == 7);
  expect_failure(espalier_replaced_pivots(factor, &count, NULL), ESPALIER_USAGE, "factorize()");
  EXPECT(count == -1);
  espalier_factor_free(&factor);

  factor = make_factor(&a, 1, replacing);
  signs[2] = -1;
  EXPECT(espalier_set_signs(factor, signs) == ESPALIER_OK);
  EXPECT(espalier_factorize(factor, a.value, &column) == ESPALIER_OK);
  EXPECT(espalier_replaced_pivots(factor, &count, NULL) == ESPALIER_OK);
  EXPECT(count == 2);
  EXPECT(espalier_replaced_pivots(factor, &count, columns) == ESPALIER_OK);
  EXPECT(columns[0] == 3 && columns[1] == 7);
  EXPECT(espalier_inertia(factor, NULL, NULL, NULL, &certain) == ESPALIER_OK);
  EXPECT(certain == 0);
  espalier_factor_free(&factor);
}

static void refuse_wrong_use(void) {
  const char* const regularized[] = {"regularization=1e-8,0,0,0", NULL};
  const char* const short_list[] = {"factorization=ldlt", "regularization=1e-8", NULL};
  const char* const blas[] = {"factorization=ldlt", "kernels=blas", NULL};
  const laplacian a = make_laplacian(0, 'F');
  signed char signs[order];
  double growth = 5;
  int64_t count = 5;
  int certain = 5;
  memset(signs, 1, sizeof signs);
  espalier_factor* factor = make_factor(&a, 0, NULL);
  expect_failure(espalier_set_signs(factor, signs), ESPALIER_USAGE, "factorization=ldlt");
  expect_failure(espalier_growth(factor, &growth), ESPALIER_USAGE, "factorize()");
  expect_failure(espalier_inertia(factor, &count, &count, &count, &certain), ESPALIER_USAGE,
                 "factorize()");
  EXPECT(growth == 5 && count == 5 && certain == 5);
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  EXPECT(espalier_inertia(factor, &count, NULL, NULL, &certain) == ESPALIER_OK);
  EXPECT(count == order && certain == 1);
  expect_failure(espalier_inertia(factor, &count, NULL, NULL, NULL), ESPALIER_USAGE,
                 "certain is null");
  expect_failure(espalier_growth(factor, NULL), ESPALIER_USAGE, "growth is null");
  expect_failure(espalier_replaced_pivots(factor, NULL, NULL), ESPALIER_USAGE, "count is null");
  EXPECT(espalier_replaced_pivots(factor, &count, NULL) == ESPALIER_OK);
  EXPECT(count == 0);
  espalier_factor_free(&factor);

  factor = make_factor(&a, 0, signed_options);
  expect_failure(espalier_set_signs(factor, NULL), ESPALIER_USAGE, "signs is null");
  expect_failure(espalier_set_signs(NULL, signs), ESPALIER_USAGE, "factor is null");
  signs[4] = 0;
  expect_failure(espalier_set_signs(factor, signs), ESPALIER_USAGE, "must be 1 or -1");
  espalier_factor_free(&factor);

  espalier_analysis* analysis = NULL;
  EXPECT(espalier_analyze(order, a.colptr, a.row, 0, 'F', NULL, &analysis) == ESPALIER_OK);
  expect_failure(espalier_factor_create(analysis, regularized, &factor), ESPALIER_USAGE,
                 "factorization=ldlt");
  expect_failure(espalier_factor_create(analysis, short_list, &factor), ESPALIER_USAGE,
                 "regularization");
  expect_failure(espalier_factor_create(analysis, blas, &factor), ESPALIER_USAGE, "kernels");
  EXPECT(factor == NULL);
  espalier_analysis_free(&analysis);
}

/// A matrix without rows needs no signs.
static void expect_no_rows(void) {
  const int64_t colptr[] = {0};
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  EXPECT(espalier_analyze(0, colptr, NULL, 0, 'L', NULL, &analysis) == ESPALIER_OK);
  EXPECT(espalier_factor_create(analysis, signed_options, &factor) == ESPALIER_OK);
  EXPECT(espalier_set_signs(factor, NULL) == ESPALIER_OK);
  EXPECT(espalier_factorize(factor, NULL, NULL) == ESPALIER_OK);
  espalier_factor_free(&factor);
  espalier_analysis_free(&analysis);
}

int main(void) {
  factor_and_solve();
  factor_automatically();
  name_wrong_signs();
  refuse_wrong_use();
  expect_no_rows();
  return 0;
}
