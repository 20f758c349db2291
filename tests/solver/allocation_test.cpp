// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "solver/sample_solver.hpp"

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;
std::atomic<std::size_t> largest = 0;  ///< bytes
thread_local int until_failure = 0;  ///< allocations of this thread until one fails; 0: none fails

void* counted(std::size_t bytes, std::size_t alignment) {
  if (counting) {
    ++allocations;
    largest = std::max<std::size_t>(largest, bytes);
  }
  if (until_failure > 0 && --until_failure == 0) throw std::bad_alloc();
  const std::size_t length = (bytes + alignment) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, length);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Replaces `new` for this program and the library.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return counted(bytes, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace espalier::internal {
namespace {

/// Returns the number of allocations of `work`.
template <class Work>
int allocations_of(Work work) {
  allocations = 0;
  largest = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

class Refactorization : public testing::TestWithParam<std::string> {};

TEST_P(Refactorization, TouchesNoAllocator) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = Matrix::load(GetParam());
  for (const Granularity granularity : support::all_granularities) {
    Factor factor(runtime, Analysis(matrix), support::with(granularity));
    ASSERT_TRUE(factor.factorize(matrix).ok());
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(allocations_of([&] { factor.factorize(matrix); }), 0) << "in factorization " << k;
    }
    support::expect_solves(factor, matrix);
  }
}

TEST(Counter, SeesAnAllocationOfTheLibrary) {
  EXPECT_GT(allocations_of([] { Matrix::load("laplace2d:3"); }), 0);
}

TEST(SolveIntoAnArray, TakesNoMemoryForVectors) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = Matrix::load("laplace3d:14");
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  std::vector<double> x(static_cast<std::size_t>(matrix.size()), 1.0);
  const std::vector<double> b = matrix.multiply(x);
  const std::size_t bytes = std::span(b).size_bytes();
  allocations_of([&] { factor.solve(b); });
  EXPECT_EQ(largest, bytes);
  allocations_of([&] { factor.solve(b, x); });
  EXPECT_LT(largest, bytes / 10);
}

/// Runs `work` repeatedly. In each run, a later allocation of this thread fails, until none is
/// left. Returns the number of runs that ended with the documented exception.
template <class Work>
int failures_of(Work work) {
  int failures = 0;
  for (int number = 1;; number += 1 + number / 16) {
    until_failure = number;
    bool has_failed = true;
    try {
      work();
      has_failed = false;
    } catch (const std::bad_alloc&) {
      ++failures;
    } catch (const MemoryError&) {
      ++failures;
    }
    if (std::exchange(until_failure, 0) > 0 && !has_failed) return failures;
  }
}

/// Expects a correct solution, or UsageError because the last factorization has failed.
void expect_right_or_refused(Factor& factor, const Matrix& matrix) {
  try {
    support::expect_solves(factor, matrix);
  } catch (const UsageError&) {
  }
}

TEST(FailedAllocation, LeavesWhatWasThereUsable) {
  const Matrix matrix = Matrix::load("laplace2d:12");
  const std::vector<double> b(static_cast<std::size_t>(matrix.size()), 1.0);
  const Runtime runtime(RuntimeOptions{2, "prio"});
  EXPECT_GT(failures_of([&] { Analysis{matrix}; }), 10);
  const Analysis analysis(matrix);
  for (const Granularity granularity : support::all_granularities) {
    const FactorOptions options = support::with(granularity);
    EXPECT_GT(failures_of([&] { Factor(runtime, analysis, options); }), 10);
    Factor factor(runtime, analysis, options);
    failures_of([&] {
      try {
        ASSERT_TRUE(factor.factorize(matrix).ok());
      } catch (const std::bad_alloc&) {
        until_failure = 0;
        expect_right_or_refused(factor, matrix);
        throw;
      }
    });
    support::expect_solves(factor, matrix);
    EXPECT_GT(failures_of([&] { factor.solve(b); }), 0);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    support::expect_solves(factor, matrix);
  }
}

/// The runtime reads no file of costs, because the JSON library ends the program if an allocation
/// fails in one of its destructors.
TEST(FailedAllocation, LetsStarPUStartAgain) {
  RuntimeOptions options{1, "prio"};
  options.costs.host = "estimates";
  EXPECT_GT(failures_of([&] { const Runtime runtime(options); }), 5);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Refactorization, testing::Values("laplace2d:6", "laplace3d:14"),
                         [](const auto& info) { return info.param.substr(0, 9); });

}  // namespace
}  // namespace espalier::internal
