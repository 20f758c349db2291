// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/python/runtime.hpp"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// The StarPU that stays between factors, and its options.
struct KeptRuntime {
  RuntimeOptions options;
  Runtime runtime;
};

/// Data that all factors of this process share.
struct Shared {
  std::mutex mutex;
  std::unique_ptr<KeptRuntime> kept;
  Count users = 0;
};

Shared& shared() {
  // Never destroyed, because objects of StarPU may be destroyed earlier at the end of a process.
  static Shared* const only = new Shared;
  return *only;
}

/// The process that has StarPU's threads, or zero.
std::atomic<pid_t> starpu_process{0};

Runtime join(const RuntimeOptions& options) {
  expect_own_runtime();
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.users == 0 && all.kept && all.kept->options != options) all.kept.reset();
  RuntimeOptions wanted = options;
  if (all.users > 0) wanted.workers = 0;  // uses the workers that are running
  Runtime joined = Runtime::shared(wanted);
  starpu_process = getpid();
  if (!all.kept) {
    all.kept = std::make_unique<KeptRuntime>(KeptRuntime{options, Runtime::shared(options)});
  }
  ++all.users;
  return joined;
}

}  // namespace

RuntimeUse::RuntimeUse(const RuntimeOptions& options) : runtime_(join(options)) {}

RuntimeUse::~RuntimeUse() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  --all.users;
}

bool forked_from_runtime() {
  const pid_t process = starpu_process;
  return process != 0 && process != getpid();
}

void expect_own_runtime() {
  if (!forked_from_runtime()) return;
  throw RuntimeFailure("this process was forked from process " + std::to_string(starpu_process) +
                       " after StarPU had started there, and has none of its threads; start "
                       "processes by \"spawn\" or "
                       "\"forkserver\", or fork before the first factorization");
}

void shut_down_runtime() {
  if (forked_from_runtime()) return;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.kept.reset();
}

}  // namespace espalier::internal
