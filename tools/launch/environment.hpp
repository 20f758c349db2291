// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What to do with an environment variable that is already set.
enum class WhereSet { overwrite, keep };

/// Sets an environment variable. No other thread may run, because it might read the environment.
void set_variable(const char* name, const std::string& value,
                  WhereSet where_set = WhereSet::overwrite);

/// Returns the folder in which StarPU keeps its measurements of the machine. If
/// STARPU_PERF_MODEL_DIR is set, it is that folder. Otherwise it is the first writable one of
/// these: the usual folder in the user's home, or a folder below the temporary folder,
/// XDG_RUNTIME_DIR or /dev/shm. The last three must belong to this user alone: links, and folders
/// that other users own or can write to, are refused. Throws RuntimeFailure if there is no such
/// folder.
std::filesystem::path measurements_folder();

/// Variable with the number of tasks that StarPU runs at the same time on a CUDA device, each on
/// its own stream. Without it StarPU runs one. Two are faster than one, because small tasks
/// overlap. More than two are not always faster.
inline constexpr const char* workers_of_a_device = "STARPU_NWORKER_PER_CUDA";

/// Sets the variables that StarPU reads, for this number of CPU workers (0: as found by
/// expected_workers()).
///
/// STARPU_SCHED overrides every other way to choose a policy. It is set to the scheduler, or
/// removed for a policy of Espalier, whose name StarPU does not know. Variables that the user has
/// not set get these values: no messages, no signal handlers, two workers per CUDA device, and a
/// writable folder for measurements, because StarPU aborts without one.
///
/// Throws UsageError if a variable of the user would make StarPU abort or hang. Throws MemoryError
/// if limits leave too little memory for the workers. Throws RuntimeFailure if there is no folder
/// for measurements or if threads do not start.
void prepare_starpu_environment(const std::string& scheduler, Index workers);

/// Makes StarPU-MPI's progress thread a worker that also runs tasks. It may run one task after
/// every fourth check for messages, unless the user has set these frequencies. Must be called
/// before StarPU-MPI starts. The frequency has little influence: with 1 to 16 checks per task two
/// ranks are equally fast.
void let_progress_thread_compute();

/// Returns the maximum number of CPU workers of StarPU: the option if it is positive, else
/// STARPU_NCPU, else the number of cores.
Index expected_workers(Index option);

/// Number of threads in addition to the workers. They read files, watch ranks, and handle messages
/// and devices.
inline constexpr Index other_threads = 4;

/// Throws RuntimeFailure if the system does not start a thread for each worker and the other
/// threads (ulimit -u). StarPU would abort if a thread did not start.
void expect_threads(Index workers);

}  // namespace espalier::internal
