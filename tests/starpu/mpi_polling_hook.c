// SPDX-License-Identifier: BSD-3-Clause
/* A rank waits a second for a message. With a hook that sleeps, its progress thread leaves the core
 * to others. Run on two ranks. */
#include <starpu_mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common.h"

#ifdef STARPU_MPI_HAVE_POLLING_HOOK

static int calls;

static void hook(int found) {
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (!found) usleep(1000);
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  EXPECT(starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL) == 0, "StarPU did not start");
  const int rank = starpu_mpi_world_rank();
  EXPECT(starpu_mpi_world_size() == 2, "run this on two ranks");
  starpu_mpi_set_polling_hook(hook);
  double number = rank == 0 ? 42 : 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&number, sizeof(number));
  starpu_mpi_barrier(MPI_COMM_WORLD);
  starpu_pause(); /* so that only the progress thread takes CPU time */
  if (rank == 0) {
    sleep(1);
    starpu_mpi_send(handle, 1, 7, MPI_COMM_WORLD);
  } else {
    const double before = cpu_seconds();
    starpu_mpi_recv(handle, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(cpu_seconds() - before < 0.5, "the progress thread did not sleep");
    EXPECT(__atomic_load_n(&calls, __ATOMIC_RELAXED) > 10, "the hook was not called");
  }
  starpu_resume();
  starpu_data_unregister(handle);
  EXPECT(number == 42, "the message is wrong");
  starpu_mpi_set_polling_hook(NULL);
  starpu_mpi_shutdown();
  return 0;
}

#else

int main(void) { return SKIPPED; }

#endif
