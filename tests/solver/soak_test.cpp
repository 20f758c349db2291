// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "espalier/espalier.hpp"
#include "solver/sample_solver.hpp"

/// What is done again and again takes no more memory than at first: a leak of a few bytes each time
/// ends a service that runs for weeks. ESPALIER_SOAK=100 does everything a hundred times as often.
namespace espalier::internal {
namespace {

Index times(Index usual) {
  const char* const factor = std::getenv("ESPALIER_SOAK");
  return usual * std::max(factor != nullptr ? std::atoi(factor) : 1, 1);
}

/// Bytes that malloc() has given out, and those of memory that the process has.
struct Memory {
  Count given = static_cast<Count>(mallinfo2().uordblks + mallinfo2().hblkhd);
  Count resident = resident_bytes();
};

/// Does something so often, and once for each tenth before that, until all caches are full. Each
/// time may leave `each` bytes, and all together a few of threads that came to an allocation later.
template <class F>
void expect_flat(Index count, Count each, F f) {
  if (Memory().given == 0) GTEST_SKIP() << "this malloc() does not tell what it has given out";
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
  constexpr Count its_time = 32;  // which a report has, in a vector that doubles
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
  constexpr Count of_starpu = 4096;  // what it keeps of each start
  const Matrix matrix = Matrix::load("laplace2d:20");
  const Analysis analysis = support::analysis_of(matrix);
  expect_flat(times(2), of_starpu, [&](Index k) {
    const Runtime runtime{RuntimeOptions{2, "lws"}};
    Factor factor(runtime, analysis, support::with(Granularity::tile));
    factorize_and_solve(factor, matrix, k);
  });
}

}  // namespace
}  // namespace espalier::internal
