// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/policy.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "runtime/starpu/starpu_instance.hpp"
#include "support/sleeps.hpp"

namespace espalier::internal {
namespace {

/// Binds this thread, and threads that it starts, to one of its cores.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_{};
};

TEST(Policy, LetsIdleWorkersThatShareACoreSleep) {
  const OneCore core;
  const StarpuInstance starpu(RuntimeOptions{2, "espalier"});
  starpu.resume();
  support::Sleeps sleeps = support::sleeps_meanwhile();
  starpu.pause();
  EXPECT_GE(sleeps["CPU 0"], support::few_sleeps);
  EXPECT_GE(sleeps["CPU 1"], support::few_sleeps);
}

}  // namespace
}  // namespace espalier::internal
