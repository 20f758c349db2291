// SPDX-License-Identifier: BSD-3-Clause
#include "common/together.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <thread>

#include "base/caught_error.hpp"

namespace espalier {

namespace {

/// How long others may take to meet the same error.
constexpr std::chrono::seconds patience{3};

/// The first of these variables that is set, as a number.
Index number_in(std::initializer_list<const char*> names, Index otherwise) {
  for (const char* const name : names) {
    if (const char* const value = std::getenv(name)) return static_cast<Index>(std::atol(value));
  }
  return otherwise;
}

bool told = false;

/// Whether all ranks come here.
bool all_arrive(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS) return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  int arrived = 0;
  while (MPI_Test(&request, &arrived, MPI_STATUS_IGNORE) == MPI_SUCCESS && arrived == 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return arrived != 0;
}

}  // namespace

Index launched_ranks() {
  return std::max<Index>(
      1, number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1));
}

Index launched_rank() { return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0); }

void end_together(const Communicator& world, const std::function<void()>& f) {
  try {
    f();
  } catch (...) {
    const CaughtError error = current_error();
    std::signal(SIGTERM, SIG_IGN);  // what mpirun sends when the first rank has ended with its code
    if (!all_arrive(world.get())) {
      std::fprintf(stderr, "espalier: on rank %d: %s\n", world.rank(), error.message.c_str());
      MPI_Abort(world.get(), static_cast<int>(error.code));
    }
    if (world.rank() == 0 && !told) std::fprintf(stderr, "espalier: %s\n", error.message.c_str());
    told = true;
    all_arrive(world.get());  // mpirun may kill the root when another rank leaves before it
    throw;
  }
}

bool failure_is_told() { return told; }

}  // namespace espalier
