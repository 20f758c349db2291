// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/failure.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace espalier {
namespace {

TEST(Failure, HasNotHappenedAtFirst) {
  const Failure failure;
  EXPECT_FALSE(failure.happened());
  EXPECT_EQ(failure.column(), -1);
}

TEST(Failure, KeepsTheSmallestColumn) {
  Failure failure;
  failure.report(7);
  EXPECT_TRUE(failure.happened());
  EXPECT_EQ(failure.column(), 7);
  failure.report(9);
  EXPECT_EQ(failure.column(), 7);
  failure.report(0);
  EXPECT_EQ(failure.column(), 0);
}

TEST(Failure, IsForgottenByReset) {
  Failure failure;
  failure.report(3);
  failure.reset();
  EXPECT_FALSE(failure.happened());
  failure.report(8);
  EXPECT_EQ(failure.column(), 8);
}

TEST(Failure, ElsewhereHasNoColumnHere) {
  Failure failure;
  failure.report_elsewhere();
  EXPECT_TRUE(failure.happened());
  EXPECT_EQ(failure.column(), -1);
  failure.report(8);
  failure.report_elsewhere();
  EXPECT_EQ(failure.column(), 8);
}

TEST(Failure, KeepsTheSmallestColumnOfManyThreads) {
  constexpr Index threads = 4;
  constexpr Index reports = 5000;
  Failure failure;
  std::vector<std::thread> all;
  for (Index t = 0; t < threads; ++t) {
    all.emplace_back([&failure, t] {
      for (Index i = reports; i > 0; --i) failure.report(10 + threads * i + t);
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(failure.column(), 10 + threads);
}

}  // namespace
}  // namespace espalier
