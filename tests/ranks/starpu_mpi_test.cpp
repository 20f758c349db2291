// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/starpu_mpi.hpp"

#include <gtest/gtest.h>
#include <starpu_mpi.h>

#include "ranks/rank_runtime.hpp"
#include "runtime/mpi/open_mpi_yield.hpp"
#include "support/environment.hpp"
#include "support/sleeps.hpp"

extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): Open MPI's
bool opal_progress_set_yield_when_idle(bool yields) __attribute__((weak));
}

namespace espalier::internal {
namespace {

using support::few_sleeps;

/// Returns the number of sleeps of each thread of a runtime that waits for a task and a message.
/// The runtime has one worker.
support::Sleeps sleeps_of_waiting_rank() {
  const support::RankRuntime runtime(RuntimeOptions{1, ""});
  runtime.starpu.resume();
  support::Sleeps sleeps = support::sleeps_meanwhile();
  runtime.starpu.pause();
  return sleeps;
}

TEST(IdlePauses, AreSleepsOfAWorkerThatLooksAfterMessages) {
  ASSERT_TRUE(StarpuMpi::progress_thread_computes());
  EXPECT_GE(sleeps_of_waiting_rank()["CPU 0"], few_sleeps);
}

TEST(IdlePauses, AreSleepsOfAProgressThreadOnItsOwn) {
  const support::Environment frequency("STARPU_MPI_DRIVER_CALL_FREQUENCY", "0");
  ASSERT_FALSE(StarpuMpi::progress_thread_computes());
  support::Sleeps sleeps = sleeps_of_waiting_rank();
  EXPECT_GE(sleeps["CPU 0"], few_sleeps);
#ifdef STARPU_MPI_HAVE_POLLING_HOOK
  EXPECT_GE(sleeps["MPI"], few_sleeps);
#endif
}

/// Returns whether Open MPI yields the core if a poll finds no event.
bool yields() {
  const bool now = opal_progress_set_yield_when_idle(false);
  opal_progress_set_yield_when_idle(now);
  return now;
}

/// Makes Open MPI yield, as mpirun does on machines with fewer cores than ranks.
class OpenMpiYield : public testing::Test {
 protected:
  void SetUp() override {
    if (opal_progress_set_yield_when_idle == nullptr) GTEST_SKIP() << "this MPI is not Open MPI";
    before_ = opal_progress_set_yield_when_idle(true);
  }
  void TearDown() override {
    if (opal_progress_set_yield_when_idle != nullptr) opal_progress_set_yield_when_idle(before_);
  }

 private:
  bool before_ = false;
};

TEST_F(OpenMpiYield, IsOffUntilTheLastObjectEnds) {
  {
    const WithoutYield one;
    {
      const WithoutYield other;
      EXPECT_FALSE(yields());
    }
    EXPECT_FALSE(yields());
  }
  EXPECT_TRUE(yields());
}

TEST_F(OpenMpiYield, IsOffWhileStarpuRunsTasks) {
  const support::RankRuntime runtime(RuntimeOptions{1, ""});
  EXPECT_TRUE(yields());
  runtime.starpu.resume();
  EXPECT_FALSE(yields());
  runtime.starpu.pause();
  EXPECT_TRUE(yields());
}

}  // namespace
}  // namespace espalier::internal
