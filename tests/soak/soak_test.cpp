// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "espalier/espalier.hpp"
#include "espalier/factor_parts.hpp"
#include "solver/sample_solver.hpp"

/// Repeated operations must not take more memory than at first, because a leak of a few bytes each
/// time ends a service that runs for weeks. ESPALIER_SOAK=100 repeats everything a hundred times as
/// often.
namespace espalier::internal {
namespace {

Index times(Index usual) {
  const char* const factor = std::getenv("ESPALIER_SOAK");
  return usual * std::max(factor != nullptr ? std::atoi(factor) : 1, 1);
}

/// Bytes that malloc() has allocated, and the resident memory of the process.
struct Memory {
  Count given = static_cast<Count>(mallinfo2().uordblks + mallinfo2().hblkhd);
  Count resident = resident_bytes();
};

/// Returns whether freed memory leaves the process. A sanitizer keeps it, and does not report the
/// allocated bytes.
bool is_freed_memory_returned() { return Memory().given != 0; }

/// Runs f count / 10 times until all caches are full, and then `count` times. Each run may leave
/// `each` bytes. A few more bytes are allowed for threads that allocate late.
template <class F>
void expect_flat(Index count, Count each, F f) {
  if (Memory().given == 0) GTEST_SKIP() << "this malloc() does not report the allocated bytes";
  for (Index k = 0; k < std::max(count / 10, 2); ++k) f(k);
  const Memory before;
  for (Index k = 0; k < count; ++k) f(k);
  const Memory after;
  EXPECT_LE(after.given - before.given, (Count{64} << 10) + count * each);
  EXPECT_LE(after.resident - before.resident, (Count{4} << 20) + count * each);
  testing::Test::RecordProperty("given", std::to_string(after.given - before.given));
  testing::Test::RecordProperty("resident", std::to_string(after.resident - before.resident));
}

Matrix changed(const Matrix& matrix, Index k) {
  std::vector<double> values(matrix.values().begin(), matrix.values().end());
  for (double& value : values) value *= 1 + k % 7;
  return matrix.with_values(std::move(values));
}

void factorize_and_solve(Factor& factor, const Matrix& matrix, Index k) {
  const Matrix other = changed(matrix, k);
  ASSERT_TRUE(factor.factorize(other).ok());
  const Index count = 1 + k % 3;
  const std::vector<double> b(static_cast<std::size_t>(matrix.size()) * count, 1.0 + k);
  ASSERT_LE(factor.solve(b, count).backward_error, 1e-13);
}

TEST(Soak, FactorizationsAndSolvesTakeNoMoreMemory) {
  constexpr Count its_time = 32;  // time of a run in the report, in a vector that doubles
  const Runtime runtime{RuntimeOptions{2, "lws"}};
  const Matrix matrix = Matrix::load("laplace2d:20");
  const Analysis analysis = support::analysis_of(matrix);
  for (const Granularity granularity : {Granularity::panel, Granularity::block}) {
    Factor factor(runtime, analysis, support::with(granularity));
    expect_flat(times(50), its_time, [&](Index k) { factorize_and_solve(factor, matrix, k); });
  }
}

TEST(Soak, AnalysesAndFactorsTakeNoMoreMemory) {
  constexpr Count fragments = 256;
  const Runtime runtime{RuntimeOptions{2, "lws"}};
  const Matrix matrix = Matrix::load("laplace2d:20");
  expect_flat(times(10), fragments, [&](Index k) {
    const Analysis analysis = support::analysis_of(matrix);
    Factor factor(runtime, analysis, support::with(Granularity::tile));
    factorize_and_solve(factor, matrix, k);
  });
}

TEST(Soak, RuntimesTakeNoMoreMemory) {
  constexpr Count of_starpu = 4096;  // bytes that StarPU keeps of each start
  const Matrix matrix = Matrix::load("laplace2d:20");
  const Analysis analysis = support::analysis_of(matrix);
  expect_flat(times(2), of_starpu, [&](Index k) {
    const Runtime runtime{RuntimeOptions{2, "lws"}};
    Factor factor(runtime, analysis, support::with(Granularity::tile));
    factorize_and_solve(factor, matrix, k);
  });
}

void solve(Factor& factor, const Matrix& matrix, Index count) {
  const std::vector<double> b(static_cast<std::size_t>(matrix.size()) * count, 1.0);
  ASSERT_LE(factor.solve(b, count).backward_error, 1e-13);
}

/// Solves for changing numbers of right-hand sides, and with L and its transpose. The last solves
/// have a fixed number of right-hand sides, so that they leave the same buffers.
void solve_in_turn(Factor& factor, const Matrix& matrix, Index k) {
  solve(factor, matrix, 64);
  const Index count = 2 + k % 62;
  solve(factor, matrix, count);
  std::vector<double> x(static_cast<std::size_t>(matrix.size()) * count, 1.0);
  for (const System system : {System::l, System::lt}) factor.solve_part(system, x, x, count);
  for (int twice = 0; twice < 2; ++twice) solve(factor, matrix, 64 + 63);
}

class SoakSolves : public testing::TestWithParam<const char*> {};

TEST_P(SoakSolves, OfChangingCountsTakeNoMoreMemory) {
  if (!is_freed_memory_returned()) GTEST_SKIP() << "this malloc() keeps freed memory";
  const Runtime runtime{RuntimeOptions{2, GetParam()}};
  const Matrix matrix = Matrix::load("laplace3d:14");
  const Analysis analysis = support::analysis_of(matrix);
  for (const Granularity granularity : {Granularity::panel, Granularity::block}) {
    Factor factor(runtime, analysis, support::with(granularity));
    ASSERT_TRUE(factor.factorize(matrix).ok());
    expect_flat(times(20), 0, [&](Index k) { solve_in_turn(factor, matrix, k); });
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, SoakSolves, testing::Values("lws", "fanout"));

/// Returns the peak memory that the report of a factor predicts, in bytes.
Count predicted(const Factor& factor) { return factor.report().symbolic.predicted_peak_bytes; }

TEST(Soak, SolvesOfChangingCountsTakeNoMoreThanPredicted) {
  if (!is_freed_memory_returned()) GTEST_SKIP() << "this malloc() keeps freed memory";
  const Runtime runtime{RuntimeOptions{2, "lws"}};
  const Matrix matrix = Matrix::load("laplace3d:20");
  const Analysis analysis = support::analysis_of(matrix);
  Factor factor(runtime, analysis, support::with(Granularity::panel));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  solve(factor, matrix, 1);
  const Count predicted_of_one = predicted(factor);
  const Memory of_one;
  for (Index count = 2; count <= 64; ++count) {
    solve(factor, matrix, count);
    EXPECT_LE(Memory().resident - of_one.resident,
              predicted(factor) - predicted_of_one + (Count{6} << 20))
        << count << " right-hand sides";
  }
}

TEST(Soak, SolvesOfChangingCountsKeepToTheLimit) {
  const Runtime runtime{RuntimeOptions{2, "lws"}};
  const Matrix matrix = Matrix::load("laplace3d:20");
  const Analysis analysis = support::analysis_of(matrix);
  FactorOptions options = support::with(Granularity::panel);
  const Count of_one = predicted(Factor(runtime, analysis, options));
  Count of_some = 0;
  {
    Factor factor(runtime, analysis, options);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    solve(factor, matrix, 20);
    of_some = predicted(factor);
  }
  ASSERT_GT(of_some, of_one);
  options.memory_limit = of_some;
  Factor factor(runtime, analysis, options);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  solve(factor, matrix, 1);
  const Memory with_one;
  for (Index count = 20; count > 0; --count) {
    solve(factor, matrix, count);
    EXPECT_LE(predicted(factor), of_some) << count << " right-hand sides";
    if (!is_freed_memory_returned()) continue;
    EXPECT_LE(Memory().resident - with_one.resident, of_some - of_one + (Count{6} << 20))
        << count << " right-hand sides";
  }
}

}  // namespace
}  // namespace espalier::internal
