// SPDX-License-Identifier: BSD-3-Clause
/* Large copies to a slave and from it, at the same time. Without starpu-copies-both-ways.patch both
 * sides only write, and wait forever when the buffers of the sockets are full. */
#include "common.h"

enum { entries = 8 << 20, rounds = 5 }; /* 64 MiB, more than any buffer of a socket */

void fill(void* buffers[], void* arguments) {
  (void)arguments;
  double* const vector = (double*)STARPU_VECTOR_GET_PTR(buffers[0]);
  for (int i = 0; i < entries; ++i) vector[i] = i;
}

void add(void* buffers[], void* arguments) {
  (void)arguments;
  const double* const from = (const double*)STARPU_VECTOR_GET_PTR(buffers[0]);
  double* const to = (double*)STARPU_VECTOR_GET_PTR(buffers[1]);
  for (int i = 0; i < entries; ++i) to[i] += from[i];
}

static struct starpu_codelet filling = {.where = STARPU_TCPIP_MS,
                                        .cpu_funcs = {fill},
                                        .cpu_funcs_name = {"fill"},
                                        .nbuffers = 1,
                                        .modes = {STARPU_W}};
static struct starpu_codelet adding = {.where = STARPU_TCPIP_MS,
                                       .cpu_funcs = {add},
                                       .cpu_funcs_name = {"add"},
                                       .nbuffers = 2,
                                       .modes = {STARPU_R, STARPU_RW}};

int main(void) {
  start();
  const unsigned slave = node_of_slave();
  double* const vector[2] = {malloc(entries * sizeof(double)), malloc(entries * sizeof(double))};
  starpu_data_handle_t handle[2];
  for (int v = 0; v < 2; ++v) {
    EXPECT(vector[v] != NULL, "there is too little memory");
    for (int i = 0; i < entries; ++i) vector[v][i] = 1;
    starpu_vector_data_register(&handle[v], STARPU_MAIN_RAM, (uintptr_t)vector[v], entries,
                                sizeof(double));
  }
  for (int round = 0; round < rounds; ++round) {
    starpu_task_insert(&filling, STARPU_W, handle[0], 0);
    starpu_task_wait_for_all();
    starpu_data_prefetch_on_node(handle[0], STARPU_MAIN_RAM, 1);
    starpu_data_prefetch_on_node(handle[1], slave, 1);
    starpu_data_acquire(handle[0], STARPU_R);
    EXPECT(vector[0][entries - 1] == entries - 1, "the copy from the slave is wrong");
    starpu_data_release(handle[0]);
    starpu_task_insert(&adding, STARPU_R, handle[0], STARPU_RW, handle[1], 0);
    starpu_data_acquire(handle[1], STARPU_RW); /* the slave needs it again in the next round */
    EXPECT(vector[1][1] == 2 + round, "the sum of the slave is wrong");
    starpu_data_release(handle[1]);
  }
  for (int v = 0; v < 2; ++v) {
    starpu_data_unregister(handle[v]);
    free(vector[v]);
  }
  starpu_shutdown();
  return 0;
}
