// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/workers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// The runtime stays after the last handle is released, because StarPU takes longer to start than
/// to factor a small matrix.
struct SharedState {
  std::mutex mutex;
  WantedWorkers wanted;
  std::shared_ptr<Runtime> runtime;
  RuntimeOptions options;  ///< options that the runtime was started with

  bool is_in_use() const { return runtime.use_count() > 1; }
};

SharedState& shared_state() {
  // Never destroyed, because callers may use their handles until the process ends.
  static SharedState& state = *new SharedState;
  return state;
}

thread_local int wanted_in_this_thread = 0;

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// Returns the number in an environment variable, or 0 if it has no positive number. OpenMP's
/// variable may be a list with a number per level; the first one counts.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return 0;
  const std::string_view view(text);
  int number = 0;
  std::from_chars(view.data(), view.data() + view.size(), number);
  return std::max(number, 0);
}

/// Returns the number of workers that callers or the environment ask for, or 0. STARPU_NCPU is left
/// to StarPU.
int asked_for(const WantedWorkers& wanted) {
  for (const int number : {wanted_in_this_thread, wanted.for_pardiso, wanted.everywhere}) {
    if (number > 0) return std::min(number, cores());
  }
  if (std::getenv("STARPU_NCPU") != nullptr) return 0;
  for (const char* variable : {"MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (const int number = number_in(variable); number > 0) return std::min(number, cores());
  }
  return 0;
}

std::shared_ptr<Runtime> started(const RuntimeOptions& options) {
  try {
    return std::make_shared<Runtime>(Runtime::shared(options));
  } catch (const UsageError&) {
    // The number of workers is only a wish if StarPU runs already. Other errors are thrown again.
    RuntimeOptions others = options;
    others.workers = 0;
    return std::make_shared<Runtime>(Runtime::shared(others));
  }
}

}  // namespace

void want_workers(const WantedWorkers& workers) {
  SharedState& state = shared_state();
  const std::lock_guard lock(state.mutex);
  state.wanted = workers;
}

WantedWorkers wanted_workers() {
  SharedState& state = shared_state();
  const std::lock_guard lock(state.mutex);
  return state.wanted;
}

int want_workers_in_this_thread(int workers) {
  const int before = wanted_in_this_thread;
  wanted_in_this_thread = std::max(workers, 0);
  return before;
}

int expected_workers() {
  SharedState& state = shared_state();
  const std::lock_guard lock(state.mutex);
  if (state.is_in_use()) return state.runtime->cpu_workers();
  for (const int number : {asked_for(state.wanted), number_in("STARPU_NCPU")}) {
    if (number > 0) return number;
  }
  return cores();
}

std::shared_ptr<Runtime> shared_runtime(RuntimeOptions options) {
  SharedState& state = shared_state();
  const std::lock_guard lock(state.mutex);
  if (options.workers == 0) options.workers = asked_for(state.wanted);
  if (state.runtime && (state.is_in_use() || state.options == options)) return state.runtime;
  state.runtime.reset();
  state.runtime = started(options);
  state.options = options;
  return state.runtime;
}

}  // namespace espalier::internal
