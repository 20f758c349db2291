// SPDX-License-Identifier: BSD-3-Clause
// Tests that Espalier's tasks run on the workers of a program that uses StarPU itself, together
// with its tasks. Returns 0, or 77 if StarPU has no worker, or prints the failed expectation.
#include <starpu.h>

#include "support.h"

static void count_one(void** buffers, void* argument) {
  (void)argument;
  ++*(int*)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

/// Runs ten tasks of the program; they would not run if StarPU were paused.
static void expect_own_tasks(void) {
  static struct starpu_codelet codelet = {
      .cpu_funcs = {count_one}, .nbuffers = 1, .modes = {STARPU_RW}};
  int counter = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&counter, sizeof counter);
  for (int i = 0; i < 10; ++i) {
    EXPECT(starpu_task_insert(&codelet, STARPU_RW, handle, 0) == 0);
  }
  starpu_data_unregister(handle);
  EXPECT(counter == 10);
}

static void expect_factored_and_solved(espalier_factor* factor, const double* values) {
  double known[order];
  double b[order];
  double error = 1;
  fill_vector(known, order);
  multiply(known, b);
  EXPECT(espalier_factorize(factor, values, NULL) == ESPALIER_OK);
  EXPECT(espalier_solve(factor, ESPALIER_A, 1, b, order, b, order, &error) == ESPALIER_OK);
  EXPECT(error < 1e-14);
  expect_close(b, known, order);
}

int main(void) {
  const char* const options[] = {"workers=2", NULL};
  const laplacian a = make_laplacian(0, 'L');
  espalier_analysis* analysis = NULL;
  espalier_factor* factor = NULL;
  EXPECT(espalier_analyze(order, a.colptr, a.row, 0, 'L', options, &analysis) == ESPALIER_OK);

  EXPECT(espalier_factor_create_inside_application(analysis, options, &factor) == ESPALIER_USAGE);
  EXPECT(strstr(espalier_last_error(), "starpu_init") != NULL);
  EXPECT(factor == NULL);

  if (starpu_init(NULL) != 0) return 77;
  EXPECT(espalier_factor_create(analysis, options, &factor) == ESPALIER_USAGE);
  EXPECT(strstr(espalier_last_error(), "inside_application") != NULL);
  EXPECT(espalier_factor_create_inside_application(NULL, options, &factor) == ESPALIER_USAGE);
  EXPECT(espalier_factor_create_inside_application(analysis, options, &factor) == ESPALIER_OK);
  expect_own_tasks();
  expect_factored_and_solved(factor, a.value);
  expect_own_tasks();
  espalier_factor_free(&factor);
  EXPECT(factor == NULL);
  EXPECT(starpu_is_initialized());
  expect_own_tasks();
  starpu_shutdown();
  espalier_analysis_free(&analysis);
  return 0;
}
