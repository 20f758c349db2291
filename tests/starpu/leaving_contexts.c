// SPDX-License-Identifier: BSD-3-Clause
/* Workers leave a context that has tasks, and come back. Without starpu-leaving-contexts.patch, the
 * program can crash, but it seldom does: 24 of 24 runs passed. */
#include "common.h"

enum { numbers = 200, rounds = 101, most_workers = 64 };

static void increment(void* buffers[], void* arguments) {
  (void)arguments;
  ++*(int*)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {increment}, .nbuffers = 1, .modes = {STARPU_RW}};

int main(void) {
  start();
  int worker[most_workers];
  const int workers = (int)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, worker, most_workers);
  EXPECT(workers > 1, "set STARPU_NCPU to at least 2");
  int number[numbers] = {0};
  starpu_data_handle_t handle[numbers];
  for (int i = 0; i < numbers; ++i) {
    starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&number[i], sizeof(int));
  }
  const unsigned context =
      starpu_sched_ctx_create(worker, workers, "part", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  starpu_sched_ctx_set_inheritor(context, 0);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < numbers; ++i) {
      starpu_task_insert(&codelet, STARPU_RW, handle[i], STARPU_SCHED_CTX, context, 0);
    }
    if (round % 2 == 0) {
      starpu_sched_ctx_remove_workers(worker + 1, workers - 1, context);
    } else {
      starpu_sched_ctx_add_workers(worker + 1, workers - 1, context);
    }
  }
  starpu_task_wait_for_all();
  starpu_sched_ctx_delete(context);
  for (int i = 0; i < numbers; ++i) {
    starpu_data_unregister(handle[i]);
    EXPECT(number[i] == rounds, "a task was lost or ran twice");
  }
  starpu_shutdown();
  return 0;
}
