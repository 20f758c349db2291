// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/blas.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <thread>
#include <vector>

extern "C" {
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] void openblas_set_num_threads(int threads);
}

namespace espalier::internal {
namespace {

/// Each test starts with this number of threads, and restores the previous number at its end.
class BlasThreads : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (openblas_set_num_threads == nullptr) GTEST_SKIP() << "the BLAS is not OpenBLAS";
    before_ = openblas_get_num_threads();
    openblas_set_num_threads(GetParam());
  }
  void TearDown() override {
    if (!IsSkipped()) openblas_set_num_threads(before_);
  }

 private:
  int before_ = 1;
};

TEST_P(BlasThreads, AreOneForATimeAndThenAsBefore) {
  {
    const SingleThreadedBlas single;
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), GetParam());
}

TEST_P(BlasThreads, AreRestoredByTheLastOfOverlappingUsers) {
  std::optional<SingleThreadedBlas> first;
  std::optional<SingleThreadedBlas> second;
  first.emplace();
  second.emplace();
  first.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  first.emplace();
  second.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  first.reset();
  EXPECT_EQ(openblas_get_num_threads(), GetParam());
}

TEST_P(BlasThreads, AreRestoredAfterManyThreadsUsedOne) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 300; ++i) {
        const SingleThreadedBlas single;
        EXPECT_EQ(openblas_get_num_threads(), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(openblas_get_num_threads(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Counts, BlasThreads, testing::Values(1, 2));

TEST(Blas, DescribesItself) {
  const bool openblas = openblas_get_num_threads != nullptr;
  EXPECT_EQ(blas_description().find("OpenBLAS") != std::string::npos, openblas)
      << blas_description();
  EXPECT_FALSE(blas_description().empty());
}

/// Returns the number of pages that this process has mapped.
long mapped_pages() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

TEST(BlasBuffers, AreMappedOnceForSoManyThreads) {
  if (openblas_set_num_threads == nullptr) GTEST_SKIP() << "the BLAS is not OpenBLAS";
  take_blas_buffers(20);
  const long pages = mapped_pages();
  take_blas_buffers(20);
  EXPECT_EQ(mapped_pages(), pages);
  take_blas_buffers(25);
  EXPECT_GT(mapped_pages(), pages);
}

}  // namespace
}  // namespace espalier::internal
