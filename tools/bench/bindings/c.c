// SPDX-License-Identifier: BSD-3-Clause
#include <espalier.h>
#include <stddef.h>
#include <stdio.h>

#include "binding.h"

static const bench_matrix* matrix;
static char workers_option[32];
static const char* options[] = {workers_option, NULL};
static espalier_analysis* analysis;
static espalier_factor* factor;

static void expect_done(int code) {
  if (code != ESPALIER_OK) bench_fail(espalier_last_error());
}

void bench_open(const char* solver, int workers, const bench_matrix* given) {
  (void)solver;
  snprintf(workers_option, sizeof workers_option, "workers=%d", workers);
  matrix = given;
}

void bench_analyze(void) {
  expect_done(espalier_analyze(matrix->n, matrix->colptr, matrix->row, 0, 'L', options, &analysis));
}

void bench_factorize(void) {
  if (factor == NULL) expect_done(espalier_factor_create(analysis, options, &factor));
  expect_done(espalier_factorize(factor, matrix->value, NULL));
}

void bench_solve(const double* b, double* x) {
  const int64_t n = matrix->n;
  expect_done(espalier_solve(factor, ESPALIER_A, 1, b, n, x, n, NULL));
}

void bench_close(void) {
  espalier_factor_free(&factor);
  espalier_analysis_free(&analysis);
}
