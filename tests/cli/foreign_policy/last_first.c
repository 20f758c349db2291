// SPDX-License-Identifier: BSD-3-Clause
// A policy that Espalier does not know: idle workers take the task that became ready last.
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdlib.h>
#include <string.h>

struct stack {
  struct starpu_task_list tasks;
  starpu_pthread_mutex_t mutex;
};

static void init(unsigned context) {
  struct stack* stack = malloc(sizeof *stack);
  starpu_task_list_init(&stack->tasks);
  STARPU_PTHREAD_MUTEX_INIT(&stack->mutex, NULL);
  starpu_sched_ctx_set_policy_data(context, stack);
}

static void deinit(unsigned context) {
  struct stack* stack = starpu_sched_ctx_get_policy_data(context);
  STARPU_PTHREAD_MUTEX_DESTROY(&stack->mutex);
  free(stack);
}

static int push(struct starpu_task* task) {
  struct stack* stack = starpu_sched_ctx_get_policy_data(task->sched_ctx);
  starpu_worker_relax_on();
  STARPU_PTHREAD_MUTEX_LOCK(&stack->mutex);
  starpu_worker_relax_off();
  starpu_task_list_push_front(&stack->tasks, task);
  starpu_push_task_end(task);
  STARPU_PTHREAD_MUTEX_UNLOCK(&stack->mutex);
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    if (starpu_worker_can_execute_task(worker, task, 0)) starpu_wake_worker_relax_light(worker);
  }
  return 0;
}

static struct starpu_task* pop(unsigned context) {
  struct stack* stack = starpu_sched_ctx_get_policy_data(context);
  starpu_worker_relax_on();
  STARPU_PTHREAD_MUTEX_LOCK(&stack->mutex);
  starpu_worker_relax_off();
  struct starpu_task* task = NULL;
  if (!starpu_task_list_empty(&stack->tasks)) task = starpu_task_list_pop_front(&stack->tasks);
  STARPU_PTHREAD_MUTEX_UNLOCK(&stack->mutex);
  return task;
}

static struct starpu_sched_policy policy = {.init_sched = init,
                                            .deinit_sched = deinit,
                                            .push_task = push,
                                            .pop_task = pop,
                                            .policy_name = "last_first",
                                            .policy_description = "last ready task first",
                                            .worker_type = STARPU_WORKER_LIST};

struct starpu_sched_policy* starpu_get_sched_lib_policy(const char* name) {
  return strcmp(name, policy.policy_name) == 0 ? &policy : NULL;
}

struct starpu_sched_policy** starpu_get_sched_lib_policies(void) {
  static struct starpu_sched_policy* all[] = {&policy, NULL};
  return all;
}
