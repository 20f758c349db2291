// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of the reproducers. Each is a program for StarPU alone. */
#ifndef REPRODUCER_COMMON_H
#define REPRODUCER_COMMON_H

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

/* The exit code of a test that this StarPU cannot run. */
#define SKIPPED 77

#define EXPECT(condition, text)                                   \
  do {                                                            \
    if (!(condition)) {                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (text)); \
      exit(1);                                                    \
    }                                                             \
  } while (0)

/* Starts StarPU. The process of a slave runs tasks here until the master ends, and then exits. */
static inline void start(void) { EXPECT(starpu_init(NULL) == 0, "StarPU did not start"); }

/* Returns the memory node of the first slave. */
static inline unsigned node_of_slave(void) {
  int worker;
  EXPECT(starpu_worker_get_ids_by_type(STARPU_TCPIP_MS_WORKER, &worker, 1) != 0,
         "there is no slave");
  return starpu_worker_get_memory_node((unsigned)worker);
}

#endif
