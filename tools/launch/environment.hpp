// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What becomes of a variable of the environment that is set already.
enum class WhereSet { overwrite, keep };

/// Sets a variable of the environment. No other thread may run, since any may read it.
void set_variable(const char* name, const std::string& value,
                  WhereSet where_set = WhereSet::overwrite);

/// Returns the folder in which StarPU keeps its measurements of the machine: the one that
/// STARPU_PERF_MODEL_DIR names, or the first of these that can be written to: the usual one in the
/// user's home, or one below the folder for temporary files, XDG_RUNTIME_DIR or /dev/shm. The last
/// three belong to this user alone: a link, or a folder of or for others, under their name is not
/// followed. Throws RuntimeFailure if there is none.
std::filesystem::path measurements_folder();

/// StarPU reads here how many tasks a CUDA device runs at a time, each on a stream of its own. It
/// takes one where this is not set; with two an H200 factored by 9 to 50 percent faster, as small
/// tasks run beside each other, with four not always faster.
inline constexpr const char* workers_of_a_device = "STARPU_NWORKER_PER_CUDA";

/// Sets what StarPU reads from the environment, for so many CPU workers (0: as many as
/// expected_workers() finds). STARPU_SCHED, which StarPU would prefer to any
/// other way of asking, is set to the scheduler, or removed where that is one of Espalier's own,
/// which StarPU does not know by name. Where the user has not set it: no messages, no signal
/// handlers of its own, two workers for each CUDA device, and a folder for its measurements of the
/// machine that can be written to, as it aborts without one. Throws UsageError where a variable
/// that the user has set would make it abort or hang, MemoryError where limits leave no room for
/// its workers, and RuntimeFailure where there is no such folder or its threads do not start.
void prepare_starpu_environment(const std::string& scheduler, Index workers);

/// Has StarPU-MPI's progress thread be a worker that executes tasks between its looks at messages,
/// every fourth of which finds time for one task, unless the user has set how it works. On two
/// cores, two ranks factor as fast with 1 to 16 looks. Goes before StarPU-MPI starts.
void let_progress_thread_compute();

/// Returns the most CPU workers that StarPU will have: the option where positive, else STARPU_NCPU,
/// else all cores.
Index expected_workers(Index option);

/// Threads beside those of workers: they read, watch, and look after messages and devices.
inline constexpr Index other_threads = 4;

/// Throws RuntimeFailure when the system does not start a thread for each of so many workers and
/// the others (ulimit -u): StarPU aborts for one that does not start.
void expect_threads(Index workers);

}  // namespace espalier::internal
