// SPDX-License-Identifier: BSD-3-Clause

#include "launch/starpu_variables.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/options.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

using enum VariableKind;

constexpr auto most_workers = static_cast<Count>(limits::workers.highest);

constexpr auto variables = std::to_array<StarpuVariable>({
    // StarPU aborts if one of its numbers is not a number, is negative, or is followed by other
    // text. It uses only the lower 32 bits of a larger number.
    {"STARPU_NCPU", number, 0, most_workers},
    {"STARPU_NCPUS", number, 0, most_workers},
    {"STARPU_RESERVE_NCPU"},
    {"STARPU_NCUDA"},
    {"STARPU_NHIP"},
    {"STARPU_NOPENCL"},
    {"STARPU_NMAX_FPGA"},
    {"STARPU_NMPI_MS"},
    {"STARPU_NTCPIP_MS"},
    {"STARPU_CALIBRATE"},
    {"STARPU_CALIBRATE_MINIMUM"},
    {"STARPU_BUS_CALIBRATE"},
    {"STARPU_HISTORY_MAX_ERROR"},
    {"STARPU_EXPECTED_TRANSFER_TIME_WRITEBACK"},
    {"STARPU_MIN_PRIO"},
    {"STARPU_MAX_PRIO"},
    {"STARPU_CATCH_SIGNALS"},
    {"STARPU_SILENT"},
    {"STARPU_SIMGRID"},
    {"STARPU_SINGLE_COMBINED_WORKER"},
    {"STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER"},
    {"STARPU_MIN_WORKERSIZE"},
    {"STARPU_MAX_WORKERSIZE"},
    {"STARPU_DATA_LOCALITY_ENFORCE"},
    {"STARPU_DISABLE_ASYNCHRONOUS_COPY"},
    {"STARPU_DISABLE_ASYNCHRONOUS_CUDA_COPY"},
    {"STARPU_DISABLE_ASYNCHRONOUS_HIP_COPY"},
    {"STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY"},
    {"STARPU_DISABLE_ASYNCHRONOUS_MAX_FPGA_COPY"},
    {"STARPU_DISABLE_ASYNCHRONOUS_MPI_MS_COPY"},
    {"STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY"},
    {"STARPU_DISABLE_PINNING"},
    {"STARPU_ENABLE_MAP"},
    {"STARPU_ENABLE_CUDA_GPU_GPU_DIRECT"},
    {"STARPU_CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES"},
    {"STARPU_CUDA_PIPELINE"},
    {"STARPU_CUDA_THREAD_PER_DEV"},
    {"STARPU_CUDA_THREAD_PER_WORKER"},
    {"STARPU_NWORKER_PER_CUDA"},
    {"STARPU_PCI_FLAT"},
    {"STARPU_PERF_MODEL_HOMOGENEOUS_CPU"},
    {"STARPU_PERF_MODEL_HOMOGENEOUS_CUDA"},
    {"STARPU_PREFETCH"},
    {"STARPU_WORKER_TREE"},
    {"STARPU_WORKERS_NOBIND"},
    {"STARPU_WORKERS_GETBIND"},
    {"STARPU_MAIN_THREAD_BIND"},
    {"STARPU_USE_NUMA"},
    {"STARPU_LIMIT_BANDWIDTH"},
    {"STARPU_LIMIT_CPU_MEM"},
    {"STARPU_LIMIT_CPU_NUMA_MEM"},
    {"STARPU_LIMIT_CUDA_MEM"},
    {"STARPU_MINIMUM_AVAILABLE_MEM"},
    {"STARPU_TARGET_AVAILABLE_MEM"},
    {"STARPU_MINIMUM_CLEAN_BUFFERS"},
    {"STARPU_TARGET_CLEAN_BUFFERS"},
    {"STARPU_MAX_MEMORY_USE"},
    {"STARPU_SUBALLOCATOR"},
    {"STARPU_MALLOC_SIMULATION_FOLD"},
    {"STARPU_DISK_SWAP_SIZE"},
    {"STARPU_GLOBAL_ARBITER"},
    {"STARPU_LIMIT_MAX_SUBMITTED_TASKS"},
    {"STARPU_TASK_PROGRESS"},
    {"STARPU_TASK_BREAK_ON_PUSH"},
    {"STARPU_TASK_BREAK_ON_SCHED"},
    {"STARPU_TASK_BREAK_ON_POP"},
    {"STARPU_TASK_BREAK_ON_EXEC"},
    {"STARPU_WATCHDOG_CRASH"},
    {"STARPU_WATCHDOG_DELAY"},
    {"STARPU_STATS"},
    {"STARPU_MEMORY_STATS"},
    {"STARPU_BUS_STATS"},
    {"STARPU_CODELET_PROFILING"},
    {"STARPU_ENERGY_PROFILING"},
    {"STARPU_DISPLAY_BINDINGS"},
    {"STARPU_FXT_TRACE"},
    {"STARPU_GENERATE_TRACE"},
    {"STARPU_TRACE_BUFFER_SIZE"},
    {"STARPU_NTASKS_THRESHOLD"},
    {"STARPU_SCHED_READY"},
    {"STARPU_SCHED_SORTED_ABOVE"},
    {"STARPU_SCHED_SORTED_BELOW"},
    {"STARPU_SCHED_GRAPH_TEST_DESCENDANTS"},
    {"STARPU_HETEROPRIO_USE_LA"},
    {"STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY"},
    {"STARPU_HETEROPRIO_USE_AUTO_CALIBRATION"},
    {"STARPU_RAND_SEED"},
    {"STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY"},
    {"STARPU_AUTOHETEROPRIO_ORDERING_INTERVAL"},
    {"STARPU_AUTOHETEROPRIO_FREEZE_GATHERING"},
    {"STARPU_AUTOHETEROPRIO_PRINT_AFTER_ORDERING"},
    {"STARPU_AUTOHETEROPRIO_PRINT_DATA_ON_UPDATE"},
    {"STARPU_AUTOHETEROPRIO_TIME_ESTIMATION_POLICY"},
    {"STARPU_MPI_CACHE"},
    {"STARPU_MPI_CACHE_STATS"},
    {"STARPU_MPI_STATS"},
    {"STARPU_COMM_STATS"},
    {"STARPU_MPI_GPUDIRECT"},
    {"STARPU_MPI_PSM2"},
    {"STARPU_MPI_NOBIND"},
    {"STARPU_MPI_PRIORITIES"},
    {"STARPU_MPI_COOP_SENDS"},
    {"STARPU_MPI_MEM_THROTTLE"},
    {"STARPU_MPI_DEBUG_LEVEL_MIN"},
    {"STARPU_MPI_DEBUG_LEVEL_MAX"},
    {"STARPU_MPI_RECV_WAIT_FINALIZE"},
    {"STARPU_MPI_THREAD_MULTIPLE_SEND"},
    {"STARPU_MPI_NREADY_PROCESS"},
    {"STARPU_MPI_NDETACHED_SEND"},
    {"STARPU_MPI_EARLYDATA_ALLOCATE"},
    {"STARPU_MPI_DRIVER_CALL_FREQUENCY"},
    {"STARPU_MPI_DRIVER_TASK_FREQUENCY"},
    {"STARPU_TCPIP_MS_MULTIPLE_THREAD"},
    {"STARPU_TCPIP_USE_LOCAL_SOCKET"},
    // StarPU divides by these numbers, uses them as indices of fixed arrays, or stores only some of
    // their bits.
    {"STARPU_NTHREADS_PER_CORE", number, 1, 16},
    {"STARPU_TCPIP_MS_SLAVES", number, 0, 64},
    {"STARPU_NTCPIPMSTHREADS", number, 1, most_workers},
    {"STARPU_TCPIP_MS_PORT", number, 1, 65535},
    {"STARPU_TCPIP_MS_TIMEOUT", number, 1, 3600},
    // Maximum number of rounds that an idle worker waits before it checks for tasks again.
    {"STARPU_BACKOFF_MIN", number, 0, 1 << 20},
    {"STARPU_BACKOFF_MAX", number, 0, 1 << 20},
    // If kernels do not run, their results are undefined, and some results are lists.
    {"STARPU_DISABLE_KERNELS", number, 0, 0},
    // If the interval is 0, StarPU's watchdog prints without end.
    {"STARPU_WATCHDOG_TIMEOUT", number, 1, Count{1} << 53},
    // StarPU reads these at its start, too, and aborts if they are not numbers.
    {"STARPU_SCHED_ALPHA", fraction},
    {"STARPU_SCHED_BETA", fraction},
    {"STARPU_SCHED_GAMMA", fraction},
    {"STARPU_IDLE_POWER", fraction},
    {"STARPU_WINDOW_TIME_SIZE", fraction},
    {"STARPU_EXP_LEN_THRESHOLD", fraction},
    {"STARPU_HETEROPRIO_NOD_TIME_COMBINATION_NOD_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_NOD_TIME_COMBINATION_EXP_SELECTIVITY", fraction},
    {"STARPU_HETEROPRIO_BEST_NODS_SCORE_EXP_SELECTIVITY", fraction},
    {"STARPU_HETEROPRIO_URT_URT_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URT_2_URT_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URT_2_ARCH_NEED_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_2_ARCH_NEED_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_3_ARCH_NEED_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_4_ARCH_NEED_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_5_NOD_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_5_ARCH_DIFF_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_9_NOD_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_9_ARCH_DIFF_OFFSET", fraction},
    {"STARPU_HETEROPRIO_AURT_DOT_DIFF_10_NOD_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_10_ARCH_DIFF_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_11_NOD_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URT_DOT_DIFF_11_ARCH_DIFF_OFFSET", fraction},
    {"STARPU_HETEROPRIO_URTS_TIME_COMBINATION_NOD_MULTIPLIER", fraction},
    {"STARPU_HETEROPRIO_URTS_TIME_COMBINATION_EXP_SELECTIVITY", fraction},
    // StarPU binds threads to the hwloc objects with these numbers without checking that they
    // exist. An empty list makes it divide by 0.
    {"STARPU_MAIN_THREAD_CPUID", thread},
    {"STARPU_MAIN_THREAD_COREID", core},
    {"STARPU_MPI_THREAD_CPUID", thread},
    {"STARPU_MPI_THREAD_COREID", core},
    {"STARPU_WORKERS_CPUID", cores},
    {"STARPU_WORKERS_COREID", cores},
    {"STARPU_WORKERS_CUDAID", cores},
    // StarPU crashes if hwloc finds no machine.
    {"STARPU_HWLOC_INPUT", topology},
    {"HWLOC_XMLFILE", topology},
    {"HWLOC_SYNTHETIC", topology},
    // If the policy library is missing, StarPU silently uses another policy.
    {"STARPU_SCHED_LIB", file},
    // StarPU aborts if it cannot create these folders.
    {"STARPU_PERF_MODEL_DIR", folder},
    {"STARPU_DISK_SWAP", folder},
    // Submission waits forever if both this limit and the maximum are set, because workers begin
    // only after all tasks of a phase are submitted.
    {"STARPU_LIMIT_MIN_SUBMITTED_TASKS", nothing},
    // StarPU sets the first variable itself in a coprocessor, and crashes if it is already set. For
    // the second one it needs the number of this rank before MPI has started.
    {"STARPU_SINK", nothing},
    {"STARPU_MPI_HOSTNAMES", nothing},
    // StarPU uses this name for its measurement files, and aborts if it cannot create them.
    {"STARPU_HOSTNAME", file_name},
});

/// Returns the number if the whole text is one, read as StarPU does with strtol(). An empty text is
/// 0. Blanks alone or a sign alone are not a number.
std::optional<Count> number_in(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Count value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || at != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_fraction(const std::string& text) {
  char* end = nullptr;
  return std::isfinite(std::strtof(text.c_str(), &end)) && *end == '\0';
}

/// Removes digits from the front of the text. Returns false if there are none, or too many for the
/// number of a core.
bool take_core(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0 && digits <= 6;
}

bool lists_cores(std::string_view text) {
  constexpr std::string_view separators = " ,";
  const auto skip = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(separators), text.size()));
  };
  skip();
  if (text.empty()) return false;
  for (; !text.empty(); skip()) {
    if (!take_core(text)) return false;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      const bool is_open = text.empty() || separators.find(text.front()) != std::string_view::npos;
      if (!is_open && !take_core(text)) return false;
    }
    if (!text.empty() && separators.find(text.front()) == std::string_view::npos) return false;
  }
  return true;
}

/// Returns whether the folder exists and is writable, or can be created.
bool can_be_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(there, error) && there != there.parent_path()) {
    there = there.parent_path();
  }
  return std::filesystem::is_directory(there, error) && access(there.c_str(), W_OK | X_OK) == 0;
}

/// Returns the number of objects of this type that hwloc finds. Uses the description of the machine
/// that STARPU_HWLOC_INPUT names. Returns 0 if hwloc finds no machine.
int count_of(hwloc_obj_type_t type) {
  hwloc_topology_t machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) return 0;
  const char* const input = std::getenv("STARPU_HWLOC_INPUT");
  const bool is_read =
      input == nullptr || *input == '\0' || hwloc_topology_set_xml(machine, input) == 0;
  const int found =
      is_read && hwloc_topology_load(machine) == 0 ? hwloc_get_nbobjs_by_type(machine, type) : 0;
  hwloc_topology_destroy(machine);
  return std::max(found, 0);
}

/// Returns the number of cores or hardware threads. If the system does not report cores, StarPU
/// uses hardware threads instead.
Count end_of(VariableKind kind) {
  const int cores = kind == core ? count_of(HWLOC_OBJ_CORE) : 0;
  return cores > 0 ? cores : count_of(HWLOC_OBJ_PU);
}

bool is_within(Count lowest, std::optional<Count> value, Count highest) {
  return value && lowest <= *value && *value <= highest;
}

bool may_be(const StarpuVariable& variable, const std::string& value) {
  switch (variable.kind) {
    case number: return is_within(variable.lowest, number_in(value), variable.highest);
    case fraction: return is_fraction(value);
    case thread:
    case core: return is_within(0, number_in(value), end_of(variable.kind) - 1);
    case cores: return lists_cores(value);
    case file: return value.find('/') == std::string::npos || access(value.c_str(), R_OK) == 0;
    case folder: return value.empty() || can_be_folder(value);
    case topology: return value.empty() || end_of(thread) > 0;
    case nothing: return false;
    case file_name: return value.find('/') == std::string::npos;
  }
  return false;
}

/// Returns the end of the message after "unset it".
std::string advice(const StarpuVariable& variable) {
  switch (variable.kind) {
    case number:
      return fmt::format(", or give a whole number from {} to {}", variable.lowest,
                         variable.highest);
    case fraction: return ", or give a number";
    case thread:
    case core:
      return fmt::format(", or give the number of a {}, from 0 to {}",
                         variable.kind == core ? "core" : "hardware thread",
                         end_of(variable.kind) - 1);
    case cores: return ", or list numbers of cores, as in \"0 2\" or \"0-3\"";
    case file: return ", or name a file that can be read";
    case folder: return ", or name a folder that can be written to";
    case topology: return ", or describe a machine as hwloc does";
    case file_name: return ", or give a name without a slash";
    case nothing: return "";
  }
  return "";
}

}  // namespace

std::span<const StarpuVariable> starpu_variables() { return variables; }

void expect_usable(const StarpuVariable& variable, const std::string& value) {
  if (may_be(variable, value)) return;
  throw UsageError(fmt::format("the variable {} of the environment is {}; unset it{}",
                               variable.name, internal::quoted(value), advice(variable)));
}

void expect_usable_variables() {
  for (const StarpuVariable& variable : variables) {
    if (const char* const value = std::getenv(variable.name)) expect_usable(variable, value);
  }
}

}  // namespace espalier::internal
