// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/coprocessor.hpp"

#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "base/backoff.hpp"
#include "base/thread_team.hpp"
#include "codelets/coprocessor/functions.hpp"
#include "codelets/cpu/blas.hpp"
#include "espalier/error.hpp"
#include "runtime/starpu/c_locale.hpp"

namespace espalier::internal {

bool coprocessors_supported() {
#ifdef STARPU_USE_TCPIP_MASTER_SLAVE
  return true;
#else
  return false;
#endif
}

bool coprocessors_are_safe() {
#ifdef STARPU_TCPIP_MASTER_SLAVE_SAFE_CONNECTIONS
  return true;
#else
  return false;
#endif
}

namespace {

long number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::strtol(value, nullptr, 10) : 0;
}

}  // namespace

Index threads_of_coprocessor_worker() {
  return static_cast<Index>(std::max(number_in(coprocessor_threads_variable), 1L));
}

Index threads_of_coprocessor() {
  return static_cast<Index>(std::max(number_in("STARPU_NTCPIPMSTHREADS"), 1L)) *
         threads_of_coprocessor_worker();
}

#ifdef STARPU_TCPIP_MASTER_SLAVE_COPIES_BOTH_WAYS
bool copies_may_cross(Index workers) {
  if (std::getenv("STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY") != nullptr) return true;
  const long there = number_in("STARPU_TCPIP_MS_SLAVES") * threads_of_coprocessor();
  return workers > 0 && workers + there < static_cast<long>(std::thread::hardware_concurrency());
}
#else
bool copies_may_cross(Index /*workers*/) { return false; }
#endif

bool is_coprocessor() { return std::getenv("STARPU_TCPIP_MS_MASTER") != nullptr; }

void serve_as_coprocessor() {
  const SingleThreadedBlas blas;
  std::optional<ThreadTeam> team;
  if (const Index threads = threads_of_coprocessor_worker(); threads > 1) {
    coprocessor::use_team(&team.emplace(threads));
  }
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncuda = 0;
  conf.nopencl = 0;
  {
    const CLocale point;  // same locale as in the process whose tasks this one runs
    [[maybe_unused]] const int result = starpu_init(&conf);
  }
  coprocessor::use_team(nullptr);
  throw RuntimeFailure(
      "StarPU did not start as a coprocessor; check STARPU_TCPIP_MS_MASTER and the other STARPU_ "
      "variables");
}

namespace {

using std::chrono::steady_clock;

/// Limit for idle rounds of a driver. A round without work takes one or two microseconds; a round
/// that copies or sends data takes longer than this.
constexpr std::chrono::microseconds idle_round{5};
constexpr int idle_rounds = 2;
/// Length of one pause. The wake-up after a pause delays the task that uses the core meanwhile. So
/// a pause is long compared with this delay, but short compared with tasks that are worth a
/// transfer.
constexpr std::chrono::microseconds rest{100};

/// StarPU calls this function once per round in which a worker searches for work.
unsigned rest_if_idle(void* /*argument*/) {
  constexpr unsigned may_block = 1;
  const int worker = starpu_worker_get_id();
  if (worker < 0 || starpu_worker_get_type(worker) != STARPU_TCPIP_MS_WORKER) return may_block;
  thread_local steady_clock::time_point last;
  thread_local int idle = -1;
  const auto now = steady_clock::now();
  idle = now - last < idle_round ? idle + 1 : 0;
  last = now;
  if (idle <= idle_rounds) return may_block;
  sleep_precisely(rest);
  last = steady_clock::now();
  return may_block;
}

}  // namespace

DriverRest::DriverRest() : hook_(starpu_progression_hook_register(rest_if_idle, nullptr)) {}

DriverRest::~DriverRest() {
  if (hook_ >= 0) starpu_progression_hook_deregister(hook_);
}

}  // namespace espalier::internal
