// SPDX-License-Identifier: BSD-3-Clause
// Tests that the interface for C refuses wrong calls with the right code and message, and works
// afterwards. Returns 0, or prints the failed expectation.
#include "support.h"

/// Expects a code, and words in the message.
static void expect_failure(int code, int expected, const char* words) {
  EXPECT(code == expected);
  EXPECT(strstr(espalier_last_error(), words) != NULL);
}

static void refuse_option(const char* option, const char* words) {
  const laplacian a = make_laplacian(0, 'L');
  const char* const options[] = {option, NULL};
  espalier_analysis* analysis = NULL;
  expect_failure(espalier_analyze(order, a.colptr, a.row, 0, 'L', options, &analysis),
                 ESPALIER_USAGE, words);
  EXPECT(analysis == NULL);
}

static void refuse_options(void) {
  refuse_option("speed=9", "unknown option 'speed'");
  refuse_option("ordering", "ordering=VALUE");
  refuse_option("ordering=fastest", "'fastest'");
  refuse_option("workers=two", "a whole number");
  refuse_option("workers=-1", "workers: '-1' is not a whole number from 0 to 4096");
  refuse_option("panel-width=3", "panel-width: '3' is not a whole number from 8 to 8192");
  refuse_option("amalgamation-widths=1,2,3", "A,B,C,D with whole numbers from 0 to 2147483647");
  refuse_option("granularity=fine", "choose one of auto, panel, tile, block");
  refuse_option("memory-limit=1Q", "'1Q' is not a number of bytes");
  refuse_option("a\x1b[31m=1", "'a?[31m'");
}

static void refuse_arrays(void) {
  laplacian a = make_laplacian(0, 'L');
  espalier_analysis* analysis = NULL;
  expect_failure(espalier_analyze(order, a.colptr, a.row, 0, 'U', NULL, &analysis), ESPALIER_INPUT,
                 "below the diagonal");
  expect_failure(espalier_analyze(order, a.colptr, a.row, 0, 'X', NULL, &analysis), ESPALIER_USAGE,
                 "uplo");
  expect_failure(espalier_analyze(order, a.colptr, a.row, 2, 'L', NULL, &analysis), ESPALIER_USAGE,
                 "base");
  expect_failure(espalier_analyze(-1, a.colptr, a.row, 0, 'L', NULL, &analysis), ESPALIER_USAGE,
                 "n is -1");
  expect_failure(espalier_analyze(order, NULL, a.row, 0, 'L', NULL, &analysis), ESPALIER_USAGE,
                 "colptr is null");
  expect_failure(espalier_analyze(order, a.colptr, a.row, 0, 'L', NULL, NULL), ESPALIER_USAGE,
                 "analysis is null");
  a.colptr[order] = -1;
  expect_failure(espalier_analyze(order, a.colptr, a.row, 0, 'L', NULL, &analysis), ESPALIER_INPUT,
                 "offsets");
  EXPECT(analysis == NULL);
}

static void refuse_solves(espalier_factor* factor) {
  double x[2 * order] = {0};
  double number = 5;
  int64_t count = 0;
  expect_failure(espalier_solve(factor, ESPALIER_A, 1, x, order, x, order, &number), ESPALIER_USAGE,
                 "factorize()");
  expect_failure(espalier_logdet(factor, &number), ESPALIER_USAGE, "factorize()");
  expect_failure(espalier_determinant(factor, &number, &count), ESPALIER_USAGE, "factorize()");
  int certain = 5;
  expect_failure(espalier_inertia(factor, &count, NULL, NULL, &certain), ESPALIER_USAGE,
                 "factorize()");
  expect_failure(espalier_growth(factor, &number), ESPALIER_USAGE, "factorize()");
  expect_failure(espalier_replaced_pivots(factor, &count, NULL), ESPALIER_USAGE, "factorize()");
  EXPECT(count == 0 && certain == 5);
  expect_failure(espalier_diagonal(factor, x), ESPALIER_USAGE, "factorize()");
  expect_failure(espalier_lower(factor, 0, &count, NULL, NULL, NULL), ESPALIER_USAGE,
                 "factorize()");
  EXPECT(number == 5);
  expect_failure(espalier_solve(factor, 3, 1, x, order, x, order, NULL), ESPALIER_USAGE,
                 "system is 3");
  expect_failure(espalier_solve(factor, ESPALIER_L, 0, x, order, x, order, NULL), ESPALIER_USAGE,
                 "nrhs is 0");
  expect_failure(espalier_solve(factor, ESPALIER_L, 1, x, order - 1, x, order, NULL),
                 ESPALIER_USAGE, "ldb is 80");
  expect_failure(espalier_solve(factor, ESPALIER_L, 2, x, order, x, order + 1, NULL),
                 ESPALIER_USAGE, "the same array");
  expect_failure(espalier_solve(factor, ESPALIER_L, 1, NULL, order, x, order, NULL), ESPALIER_USAGE,
                 "b is null");
  expect_failure(espalier_solve(NULL, ESPALIER_L, 1, x, order, x, order, NULL), ESPALIER_USAGE,
                 "factor is null");
}

static void refuse_values(espalier_factor* factor, laplacian a) {
  int64_t bad_column = 0;
  const double good = a.value[0];
  a.value[0] = NAN;
  expect_failure(espalier_factorize(factor, a.value, &bad_column), ESPALIER_INPUT,
                 "row 10 has a value in column 1 that is not finite, counted from 1");
  EXPECT(bad_column == -1);
  refuse_solves(factor);
  a.value[0] = good - 1;
  expect_failure(espalier_factorize(factor, a.value, NULL), ESPALIER_INPUT,
                 "differs from its mirror (1, ");
  a.value[0] = good;
  int64_t diagonal = a.colptr[7] - 1;
  while (a.row[diagonal] != 8) ++diagonal;
  a.value[diagonal] = -4;
  expect_failure(espalier_factorize(factor, a.value, &bad_column), ESPALIER_NOT_POSITIVE_DEFINITE,
                 "column 8");
  EXPECT(bad_column == 8);
  expect_failure(espalier_factorize(factor, NULL, NULL), ESPALIER_USAGE, "values is null");
}

/// Messages count rows and columns from the base, and name entries of the application's triangle.
static void name_entries(void) {
  const char* const ldlt[] = {"workers=1", "sched=prio", "factorization=ldlt", NULL};
  static signed char signs[order];
  memset(signs, 1, sizeof signs);
  signs[4] = 3;
  for (int base = 0; base <= 1; ++base) {
    const char* const places[] = {"row 1 has a value in column 10 that is not finite",
                                  "row 2 has a value in column 11 that is not finite"};
    const char* const rows[] = {"row 4 (counted from 0)", "row 5 (counted from 1)"};
    laplacian a = make_laplacian(base, 'U');
    espalier_analysis* analysis = NULL;
    espalier_factor* factor = NULL;
    EXPECT(espalier_analyze(order, a.colptr, a.row, base, 'U', ldlt, &analysis) == ESPALIER_OK);
    EXPECT(espalier_factor_create(analysis, ldlt, &factor) == ESPALIER_OK);
    expect_failure(espalier_set_signs(factor, signs), ESPALIER_USAGE, rows[base]);
    espalier_analysis_free(&analysis);
    int64_t k = a.colptr[10] - base;
    while (a.row[k] != 1 + base) ++k;
    a.value[k] = INFINITY;
    expect_failure(espalier_factorize(factor, a.value, NULL), ESPALIER_INPUT, places[base]);
    expect_failure(
        espalier_analyze_values(order, a.colptr, a.row, a.value, base, 'U', ldlt, &analysis),
        ESPALIER_INPUT, places[base]);
    EXPECT(analysis == NULL);
    espalier_factor_free(&factor);
  }
}

static void refuse_factors(const espalier_analysis* analysis) {
  const char* const unknown[] = {"sched=best", NULL};
  const char* const small[] = {"memory-limit=1K", NULL};
  espalier_factor* factor = NULL;
  expect_failure(espalier_factor_create(analysis, unknown, &factor), ESPALIER_SCHEDULER, "best");
  expect_failure(espalier_factor_create(analysis, small, &factor), ESPALIER_MEMORY, "");
  expect_failure(espalier_factor_create(NULL, NULL, &factor), ESPALIER_USAGE, "analysis is null");
  EXPECT(factor == NULL);
}

/// The interface of another language can store a message. The library keeps it like its other
/// messages, cut to the size of the buffer.
static void note_failures(void) {
  char sentence[3000];
  memset(sentence, 'x', sizeof sentence - 1);
  sentence[sizeof sentence - 1] = 0;
  expect_failure(espalier_note_failure(ESPALIER_INPUT, "b is short"), ESPALIER_INPUT, "b is short");
  EXPECT(espalier_note_failure(ESPALIER_MEMORY, sentence) == ESPALIER_MEMORY);
  EXPECT(strlen(espalier_last_error()) == 2047);
  expect_failure(espalier_note_failure(ESPALIER_INPUT, NULL), ESPALIER_USAGE, "sentence is null");
}

/// A value that is not finite is accepted only if nothing is computed with it.
static void refuse_right_hand_sides(espalier_factor* factor) {
  static double b[2 * order];
  static double x[2 * order];
  const int computing[] = {ESPALIER_A, ESPALIER_L, ESPALIER_LT};
  b[order + 4] = INFINITY;
  for (int k = 0; k < 3; ++k) {
    expect_failure(espalier_solve(factor, computing[k], 2, b, order, x, order, NULL),
                   ESPALIER_INPUT, "right-hand side 2 has a value in row 5 that is not finite");
    EXPECT(espalier_solve(factor, computing[k], 1, b, order, x, order, NULL) == ESPALIER_OK);
  }
  EXPECT(espalier_solve(factor, ESPALIER_P, 2, b, order, x, order, NULL) == ESPALIER_OK);
}

int main(void) {
  EXPECT(strcmp(espalier_last_error(), "") == 0);
  EXPECT(strchr(espalier_version(), '.') != NULL);
  note_failures();
  refuse_options();
  refuse_arrays();
  const laplacian a = make_laplacian(1, 'F');
  const char* const options[] = {"workers=1", "sched=prio", NULL};
  const char* const others[] = {"workers=2", NULL};
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  espalier_factor* other = NULL;
  EXPECT(espalier_analyze(order, a.colptr, a.row, 1, 'F', options, &analysis) == ESPALIER_OK);
  refuse_factors(analysis);
  EXPECT(espalier_factor_create(analysis, options, &factor) == ESPALIER_OK);
  expect_failure(espalier_factor_create(analysis, others, &other), ESPALIER_USAGE, "1 CPU workers");
  EXPECT(espalier_factor_create(analysis, NULL, &other) == ESPALIER_OK);
  espalier_factor_free(&other);
  refuse_solves(factor);
  refuse_values(factor, a);
  refuse_solves(factor);
  EXPECT(espalier_factorize(factor, a.value, NULL) == ESPALIER_OK);
  refuse_right_hand_sides(factor);
  espalier_factor_free(&factor);
  espalier_factor_free(&factor);
  espalier_factor_free(NULL);
  espalier_analysis_free(&analysis);
  espalier_analysis_free(NULL);
  name_entries();
  return 0;
}
