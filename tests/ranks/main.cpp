// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <string>

#include "launch/environment.hpp"
#include "runtime/mpi/communicator.hpp"

namespace {

/// Prints the failures of a rank, with its number. Only rank 0 prints the progress of tests.
class PrintFailures final : public testing::EmptyTestEventListener {
 public:
  explicit PrintFailures(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* const file = result.file_name() != nullptr ? result.file_name() : "?";
    std::fprintf(stderr, "%s:%d: rank %d: %s\n", file, result.line_number(), rank_,
                 result.message());
  }

 private:
  int rank_;
};

/// Ends all ranks after a test that failed on this rank, because other ranks may wait for its
/// messages.
class EndAllAtFailure final : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::fprintf(stderr, "%s.%s failed\n", test.test_suite_name(), test.name());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
};

}  // namespace

/// Runs the tests on every rank. The first failure on any rank ends all of them.
int main(int argc, char** argv) {
  espalier::internal::let_progress_thread_compute();
  const espalier::internal::MpiSession mpi;
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(std::make_unique<PrintFailures>(rank).release());
  }
  listeners.Append(std::make_unique<EndAllAtFailure>().release());
  return RUN_ALL_TESTS();
}
