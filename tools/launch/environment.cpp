// SPDX-License-Identifier: BSD-3-Clause

#include "launch/environment.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "launch/memory_limits.hpp"
#include "launch/starpu_variables.hpp"
#include "schedulers/own_policies.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Returns the folder for measurements that StarPU itself uses. It is below the folder in the first
/// of XDG_CACHE_HOME, STARPU_HOME and HOME that is set. Returns an empty path if none is set.
/// StarPU would then use .starpu in the temporary folder, which any user may have created.
fs::path usual_measurements() {
  for (const char* const name : {"XDG_CACHE_HOME", "STARPU_HOME", "HOME"}) {
    if (const char* const value = std::getenv(name))
      return std::string(value) + "/.starpu/sampling";
  }
  return {};
}

bool can_write_below(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
}

/// Returns folders in which this user may create others: the temporary folder, XDG_RUNTIME_DIR, and
/// the folder for shared memory. The last one is writable even in a container with a read-only file
/// system.
std::vector<fs::path> temporary_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const fs::path usual = fs::temp_directory_path(error); !error) folders.push_back(usual);
  if (const char* const run = std::getenv("XDG_RUNTIME_DIR")) folders.emplace_back(run);
  folders.emplace_back("/dev/shm");
  return folders;
}

/// Creates a private folder in a place where every user may create folders. Returns false if it
/// neither exists nor can be created.
bool has_own(const fs::path& folder) {
  return mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST;
}

/// Returns the reason why such a folder is not safe, or an empty string. Another user may have
/// created it first, as a link to files of this user, or as a folder in which they can replace
/// StarPU's files.
std::string fault_of_own(const fs::path& folder) {
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return "cannot be inspected";
  if (!S_ISDIR(found.st_mode)) return "is a link or a file";
  if (found.st_uid != geteuid()) return "belongs to another user";
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written to by other users";
  return "";
}

}  // namespace

fs::path measurements_folder() {
  const char* const set = std::getenv("STARPU_PERF_MODEL_DIR");
  if (set != nullptr && *set != '\0') return set;
  fs::path usual = usual_measurements();
  if (!usual.empty() && can_write_below(usual / "bus")) return usual;
  std::string all = usual.empty() ? "there is no home" : usual.string() + " cannot be written to";
  for (const fs::path& place : temporary_folders()) {
    const fs::path own = place / ("espalier-" + std::to_string(geteuid()));
    std::string fault = has_own(own) ? fault_of_own(own) : "";
    fs::path other = own / "sampling";
    if (fault.empty() && can_write_below(other / "bus")) return other;
    all += ", and " + own.string() + " " + (fault.empty() ? "cannot be written to" : fault);
    if (!fault.empty()) break;  // another user may have created it
  }
  throw RuntimeFailure("StarPU keeps its measurements of the machine in a folder, but " + all +
                       "; set STARPU_PERF_MODEL_DIR or STARPU_HOME to a folder of yours");
}

void set_variable(const char* name, const std::string& value, WhereSet where_set) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the caller guarantees that no other thread runs
  setenv(name, value.c_str(), where_set == WhereSet::overwrite ? 1 : 0);
}

void let_progress_thread_compute() {
  if (std::getenv("STARPU_MPI_DRIVER_CALL_FREQUENCY") != nullptr) return;
  set_variable("STARPU_MPI_DRIVER_CALL_FREQUENCY", "4");
  set_variable("STARPU_MPI_DRIVER_TASK_FREQUENCY", "1", WhereSet::keep);
  // As a worker the thread already has a core.
  set_variable("STARPU_MPI_NOBIND", "1", WhereSet::keep);
}

void prepare_starpu_environment(const std::string& scheduler, Index workers) {
  if (own_policy(scheduler) != nullptr) {
    unsetenv("STARPU_SCHED");  // NOLINT(concurrency-mt-unsafe): as in set_variable()
  } else {
    set_variable("STARPU_SCHED", scheduler);
  }
  set_variable("STARPU_SILENT", "1", WhereSet::keep);
  set_variable("STARPU_CATCH_SIGNALS", "0", WhereSet::keep);
  set_variable(workers_of_a_device, "2", WhereSet::keep);
  // StarPU uses hwloc only to find cores. Its plugins would search for other devices, which takes 3
  // ms and 2 MB.
  set_variable("HWLOC_PLUGINS_PATH", "", WhereSet::keep);
  expect_usable_variables();
  // StarPU as built by tools/setup.sh starts at most 64 threads, or one per core if there are more
  // cores.
  const Index most = std::max(static_cast<Index>(std::thread::hardware_concurrency()), 64);
  const Index started = std::min(expected_workers(workers), most);
  expect_memory_for_workers(started);
  expect_threads(started);
  const fs::path folder = measurements_folder();
  const fs::path usual = usual_measurements();
  if (folder != usual) set_variable("STARPU_PERF_MODEL_DIR", folder);
  if (usual.empty()) set_variable("STARPU_HOME", folder);  // StarPU also searches this folder
}

Index expected_workers(Index option) {
  if (option > 0) return option;
  const char* const variable = std::getenv("STARPU_NCPU");
  const long wanted = variable != nullptr ? std::strtol(variable, nullptr, 10) : 0;
  const long cores = std::thread::hardware_concurrency();
  return static_cast<Index>(std::clamp(wanted > 0 ? wanted : cores, 1L, 4096L));
}

void expect_threads(Index workers) {
  std::latch end(1);
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(workers + other_threads));
  bool all = true;
  try {
    for (Index k = 0; k < workers + other_threads; ++k) threads.emplace_back([&] { end.wait(); });
  } catch (const std::system_error&) {
    all = false;
  } catch (...) {
    end.count_down();
    throw;
  }
  end.count_down();
  for (std::jthread& thread : threads) thread.join();
  if (all) return;
  throw RuntimeFailure("only " + std::to_string(threads.size()) + " of the " +
                       std::to_string(workers + other_threads) + " threads for " +
                       std::to_string(workers) +
                       " workers could be started; raise the limit (ulimit -u), or use fewer "
                       "--workers");
}

}  // namespace espalier::internal
