// SPDX-License-Identifier: BSD-3-Clause
/* starpu_profiling_set_copy_observer() reports each copy to a slave and back, with its times. */
#include "common.h"

#ifdef STARPU_HAVE_COPY_OBSERVER

enum { entries = 1000, copies = 20 };

static size_t bytes_to_slave;
static size_t bytes_from_slave;
static int wrong_times;

static void observe(unsigned source, unsigned target, size_t bytes, double begin, double end) {
  if (begin <= 0 || end < begin) __atomic_add_fetch(&wrong_times, 1, __ATOMIC_RELAXED);
  size_t* const sum = target == STARPU_MAIN_RAM ? &bytes_from_slave : &bytes_to_slave;
  if (source != target) __atomic_add_fetch(sum, bytes, __ATOMIC_RELAXED);
}

void increment(void* buffers[], void* arguments) {
  (void)arguments;
  ++*(double*)STARPU_VECTOR_GET_PTR(buffers[0]);
}

static struct starpu_codelet codelet = {.where = STARPU_TCPIP_MS,
                                        .cpu_funcs = {increment},
                                        .cpu_funcs_name = {"increment"},
                                        .nbuffers = 1,
                                        .modes = {STARPU_RW}};

int main(void) {
  start();
  double vector[entries] = {0};
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)vector, entries, sizeof(double));
  for (int observed = 0; observed < 2; ++observed) { /* first without an observer */
    starpu_profiling_set_copy_observer(observed ? observe : NULL);
    for (int i = 0; i < copies; ++i) {
      starpu_task_insert(&codelet, STARPU_RW, handle, 0);
      starpu_data_acquire(handle, STARPU_RW);
      starpu_data_release(handle);
    }
  }
  starpu_profiling_set_copy_observer(NULL);
  starpu_data_unregister(handle);
  starpu_shutdown();
  EXPECT(vector[0] == 2 * copies, "a task did not run");
  EXPECT(bytes_to_slave == copies * sizeof(vector), "copies to the slave are missing");
  EXPECT(bytes_from_slave == copies * sizeof(vector), "copies from the slave are missing");
  EXPECT(wrong_times == 0, "a copy ended before it began");
  return 0;
}

#else

int main(void) { return SKIPPED; }

#endif
