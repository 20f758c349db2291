// SPDX-License-Identifier: BSD-3-Clause
// MUMPS, SYM=2, on one system: --version, or INPUT OUTPUT. README.md describes both files and the
// line that this program prints.
#include <dmumps_c.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]

enum { USE_COMM_WORLD = -987654, METIS = 5, MOST_REPEATS = 100, FAILED = 4 };
static const double TARGET = 1e-14;  // as in interface.py
static const double PATIENCE = 2;    // as in interface.py

// The lower triangle by columns, in numbers from 0, and b.
typedef struct {
  int64_t n, entries;
  int32_t *starts, *rows;
  double *values, *b;
} System;

static void* array(FILE* file, size_t count, size_t size) {
  void* all = malloc(count * size + 1);
  if (!all || fread(all, size, count, file) != count) {
    fprintf(stderr, "the system cannot be read\n");
    exit(FAILED);
  }
  return all;
}

static System read_system(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "%s cannot be opened\n", path);
    exit(FAILED);
  }
  System s = {0};
  int64_t* sizes = array(file, 2, sizeof *sizes);
  s.n = sizes[0], s.entries = sizes[1];
  free(sizes);
  s.starts = array(file, (size_t)s.n + 1, sizeof *s.starts);
  s.rows = array(file, (size_t)s.entries, sizeof *s.rows);
  s.values = array(file, (size_t)s.entries, sizeof *s.values);
  s.b = array(file, (size_t)s.n, sizeof *s.b);
  fclose(file);
  return s;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double norm(const System* s) {
  double *sums = calloc((size_t)s->n, sizeof *sums), largest = 0;
  for (int32_t j = 0; j < s->n; ++j) {
    for (int32_t k = s->starts[j]; k < s->starts[j + 1]; ++k) {
      sums[j] += fabs(s->values[k]);
      if (s->rows[k] != j) sums[s->rows[k]] += fabs(s->values[k]);
    }
  }
  for (int32_t j = 0; j < s->n; ++j) largest = fmax(largest, sums[j]);
  free(sums);
  return largest;
}

// r = b - A x. Returns the backward error; infinity if it is not a number.
static double residual(const System* s, double matrix_norm, const double* x, double* r) {
  memcpy(r, s->b, (size_t)s->n * sizeof *r);
  for (int32_t j = 0; j < s->n; ++j) {
    for (int32_t k = s->starts[j]; k < s->starts[j + 1]; ++k) {
      const int32_t i = s->rows[k];
      r[i] -= s->values[k] * x[j];
      if (i != j) r[j] -= s->values[k] * x[i];
    }
  }
  double largest_r = 0, largest_x = 0, largest_b = 0;
  int finite = 1;
  for (int32_t j = 0; j < s->n; ++j) {
    finite = finite && isfinite(r[j]) && isfinite(x[j]);
    largest_r = fmax(largest_r, fabs(r[j]));
    largest_x = fmax(largest_x, fabs(x[j]));
    largest_b = fmax(largest_b, fabs(s->b[j]));
  }
  return finite ? largest_r / (matrix_norm * largest_x + largest_b) : INFINITY;
}

static int call(DMUMPS_STRUC_C* m, int job) {
  m->job = job;
  dmumps_c(m);
  return m->INFOG(1);
}

static void checked(DMUMPS_STRUC_C* m, int job) {
  if (call(m, job) < 0) {
    fprintf(stderr, "MUMPS returned the error %d (%d) in job %d\n", m->INFOG(1), m->INFOG(2), job);
    exit(FAILED);
  }
}

// Factors. If the estimated memory does not suffice, doubles the reserve and tries again, as Ipopt
// does.
static void factor(DMUMPS_STRUC_C* m) {
  while (call(m, 2) == -8 || m->INFOG(1) == -9) m->ICNTL(14) *= 2;
  if (m->INFOG(1) < 0) checked(m, 2);
}

static void solve(DMUMPS_STRUC_C* m, double* x) {
  m->rhs = x, m->nrhs = 1, m->lrhs = m->n;
  checked(m, 3);
}

// Solves and refines. A step that does not halve the error is the last one. Returns the number of
// steps.
static int refined(DMUMPS_STRUC_C* m, const System* s, double matrix_norm, int most, double* x) {
  const size_t n = (size_t)s->n;
  double *r = malloc(n * sizeof *r), *better = malloc(n * sizeof *better);
  memcpy(x, s->b, n * sizeof *x);
  solve(m, x);
  double error = residual(s, matrix_norm, x, r);
  int step = 0, last = 0;
  while (step < most && !last && error > TARGET && isfinite(error)) {
    memcpy(better, r, n * sizeof *r);
    solve(m, better);
    for (size_t i = 0; i < n; ++i) better[i] += x[i];
    const double found = residual(s, matrix_norm, better, r);
    last = !(found < error / 2);
    if (found < error) {
      memcpy(x, better, n * sizeof *x);
      error = found;
    }
    ++step;
  }
  free(r), free(better);
  return step;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int setting(const char* name, int otherwise) {
  return getenv(name) ? atoi(getenv(name)) : otherwise;
}

// Median seconds of the factorizations.
static double factorizations(DMUMPS_STRUC_C* m, int repeats) {
  double times[MOST_REPEATS], total = 0;
  int count = 0;
  while (count < repeats && count < MOST_REPEATS && total < PATIENCE) {
    const double start = now();
    factor(m);
    times[count] = now() - start;
    total += times[count++];
  }
  qsort(times, (size_t)count, sizeof *times, compare);
  return (times[count / 2] + times[(count - 1) / 2]) / 2;
}

static DMUMPS_STRUC_C started(const System* s, MUMPS_INT* rows, MUMPS_INT* columns) {
  for (int32_t j = 0; j < s->n; ++j) {
    for (int32_t k = s->starts[j]; k < s->starts[j + 1]; ++k)
      rows[k] = s->rows[k] + 1, columns[k] = j + 1;
  }
  DMUMPS_STRUC_C m;
  memset(&m, 0, sizeof m);
  m.comm_fortran = USE_COMM_WORLD, m.par = 1, m.sym = 2;
  checked(&m, -1);
  for (int i = 1; i <= 3; ++i) m.ICNTL(i) = -1;
  m.ICNTL(4) = 0;
  m.ICNTL(7) = METIS;
  m.ICNTL(14) = 50;
  m.ICNTL(16) = setting("OMP_NUM_THREADS", 1);
  m.ICNTL(24) = 1;  // counts null pivots
  m.n = (MUMPS_INT)s->n, m.nnz = s->entries, m.irn = rows, m.jcn = columns, m.a = s->values;
  return m;
}

int main(int count, char** arguments) {
  if (count == 2 && !strcmp(arguments[1], "--version"))
    return printf("{\"version\": \"MUMPS %s\"}\n", MUMPS_VERSION) < 0;
  if (count < 3) return 2;
  const System s = read_system(arguments[1]);
  const size_t entries = (size_t)s.entries;
  DMUMPS_STRUC_C m =
      started(&s, malloc(entries * sizeof(MUMPS_INT)), malloc(entries * sizeof(MUMPS_INT)));
  double start = now();
  checked(&m, 1);
  const double analysis = now() - start;
  const double factor_seconds = factorizations(&m, setting("REPEATS", 3));
  const int negative = m.INFOG(12), null = m.INFOG(28),
            perturbed = m.INFOG(25) > null ? m.INFOG(25) - null : 0;
  const int delayed = m.INFOG(13);
  double* x = malloc((size_t)s.n * sizeof *x);
  const double matrix_norm = norm(&s);
  start = now();
  const int steps = refined(&m, &s, matrix_norm, setting("REFINE", 10), x);
  const double solve_seconds = now() - start;
  FILE* file = fopen(arguments[2], "wb");
  if (!file || fwrite(x, sizeof *x, (size_t)s.n, file) != (size_t)s.n || fclose(file))
    return FAILED;
  printf(
      "{\"analyse_s\": %.9g, \"factor_s\": %.9g, \"solve_s\": %.9g, \"refinements\": %d, "
      "\"inertia\": [%d, %d, %d], \"status\": \"%s\", "
      "\"perturbed\": %d, \"delayed\": %d}\n",
      analysis, factor_seconds, solve_seconds, steps, (int)s.n - negative - null, negative, null,
      perturbed ? "uncertain" : "exact", perturbed, delayed);
  call(&m, -2);
  return 0;
}
