// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <starpu_mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "espalier/mpi.hpp"
#include "matrix/generators.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// Libraries that an application starts.
enum class Start { both, one_after_the_other, starpu_alone };

/// An application with StarPU and StarPU-MPI that sends numbers around the ring of its ranks.
class RingApplication {
 public:
  explicit RingApplication(Start start) : start_(start) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.ncpus = 1;
    conf.ncuda = conf.nopencl = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const int result = start == Start::both
                           ? starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf)
                           : starpu_init(&conf);
    if (result != 0) throw std::runtime_error("StarPU does not start");
    if (start == Start::one_after_the_other) {
      starpu_mpi_init_comm(nullptr, nullptr, 0, MPI_COMM_WORLD);
    }
    hook_ = starpu_idle_hook_register(let_others_run, nullptr);
    for (double& number : numbers_) {
      starpu_variable_data_register(&handles_.emplace_back(), STARPU_MAIN_RAM,
                                    reinterpret_cast<std::uintptr_t>(&number), sizeof number);
    }
  }
  ~RingApplication() {
    starpu_idle_hook_deregister(hook_);
    for (const starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
    if (start_ != Start::starpu_alone) starpu_mpi_shutdown_comm(MPI_COMM_WORLD);
    // After a first start of both, StarPU-MPI 1.4 ends StarPU, whichever of them started it.
    if (starpu_is_initialized() != 0) starpu_shutdown();
  }
  RingApplication(const RingApplication&) = delete;
  RingApplication& operator=(const RingApplication&) = delete;

  /// Submits receives with many tags, including the smallest one, before any send.
  void receive() {
    for (int tag = 0; tag < count; ++tag) {
      starpu_mpi_irecv_detached(handles_[count + tag], (rank_ + ranks_ - 1) % ranks_, tag,
                                MPI_COMM_WORLD, nullptr, nullptr);
    }
  }
  void send(double what) {
    for (int tag = 0; tag < count; ++tag) {
      starpu_data_acquire(handles_[tag], STARPU_W);
      numbers_[tag] = what + tag + 1000.0 * rank_;
      starpu_data_release(handles_[tag]);
      starpu_mpi_isend_detached(handles_[tag], (rank_ + 1) % ranks_, tag, MPI_COMM_WORLD, nullptr,
                                nullptr);
    }
  }
  void expect_received(double what) {
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    for (int tag = 0; tag < count; ++tag) {
      starpu_data_acquire(handles_[count + tag], STARPU_R);
      EXPECT_EQ(numbers_[count + tag], what + tag + 1000.0 * ((rank_ + ranks_ - 1) % ranks_));
      starpu_data_release(handles_[count + tag]);
    }
  }

 private:
  static constexpr int count = 20;
  static unsigned let_others_run(void* /*unused*/) {
    std::this_thread::yield();
    return 1;
  }

  // Otherwise the workers of all ranks spin on one core, and all progress threads on another.
  const support::Environment workers_{"STARPU_WORKERS_NOBIND", "1"};
  const support::Environment progress_{"STARPU_MPI_NOBIND", "1"};
  Start start_;
  int rank_ = 0;
  int ranks_ = 1;
  int hook_ = -1;
  std::array<double, 2 * std::size_t{count}> numbers_{};
  std::vector<starpu_data_handle_t> handles_;
};

void expect_factored_and_solved(const Ranks& ranks) {
  std::optional<Matrix> matrix;
  std::optional<Analysis> analysis;
  std::vector<double> b;
  if (ranks.is_root()) {
    matrix = support::to_matrix(generate_matrix("laplace2d:12"));
    analysis.emplace(*matrix);
    b = matrix->multiply(std::vector<double>(matrix->size(), 1.0));
  }
  DistributedFactor factor(ranks, analysis ? &*analysis : nullptr);
  ASSERT_TRUE(factor.factorize(matrix ? &*matrix : nullptr).ok());
  const Solution solution = factor.solve(b);
  for (const double x : solution.x) ASSERT_NEAR(x, 1, 1e-10);
}

class RanksInside : public testing::TestWithParam<Start> {};

/// Messages of the application are pending before, during and after those of the factorization.
TEST_P(RanksInside, FactorBesideTheApplicationsMessages) {
  RingApplication application(GetParam());
  {
    const Ranks ranks = Ranks::inside_application(MPI_COMM_WORLD);
    EXPECT_EQ(ranks.cpu_workers(), 1);
    application.send(3);
    expect_factored_and_solved(ranks);
    application.receive();
    application.expect_received(3);
    application.receive();
    expect_factored_and_solved(ranks);
    application.send(5);
    application.expect_received(5);
  }
  expect_factored_and_solved(Ranks::inside_application(MPI_COMM_WORLD));
  application.receive();
  application.send(7);
  application.expect_received(7);
}

INSTANTIATE_TEST_SUITE_P(Starts, RanksInside,
                         testing::Values(Start::both, Start::one_after_the_other));

TEST(RanksInsideToo, NeedStarpuAndStarpuMpi) {
  const auto enter = [] { Ranks::inside_application(MPI_COMM_WORLD); };
  support::expect_error<UsageError>(enter, {"starpu_mpi_init_conf"});
  {
    const RingApplication application(Start::both);
    EXPECT_NO_THROW(enter());
    support::expect_error<UsageError>([] { Ranks ranks(MPI_COMM_WORLD); },
                                      {"Ranks::inside_application"});
  }
  const RingApplication alone(Start::starpu_alone);
  support::expect_error<UsageError>(enter, {"starpu_mpi_init_comm"});
}

}  // namespace
}  // namespace espalier::internal
