// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "solver/sample_solver.hpp"

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  if (counting) ++allocations;
  const std::size_t length = (bytes + alignment) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, length);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Every `new` of this program and of the library comes here.
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

/// Allocations by `work`.
template <class Work>
int allocations_of(Work work) {
  allocations = 0;
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

INSTANTIATE_TEST_SUITE_P(Sizes, Refactorization, testing::Values("laplace2d:6", "laplace3d:14"),
                         [](const auto& info) { return info.param.substr(0, 9); });

}  // namespace
}  // namespace espalier::internal
