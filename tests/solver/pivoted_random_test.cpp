// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/inertia.hpp"
#include "support/matrices.hpp"

/// Factorizations A = L J Lᵀ of random matrices that choose their pivots, compared with dense ones.
namespace espalier::internal {
namespace {

using support::to_matrix;

/// A matrix S B S with small integers in B and a diagonal S.
struct RandomMatrix {
  std::vector<support::Entry> entries;  ///< of B
  std::vector<double> scale;            ///< S

  SparseMatrix unscaled() const { return support::from_entries(order(), entries); }
  SparseMatrix scaled() const {
    std::vector<support::Entry> all = entries;
    for (auto& [row, column, value] : all) value *= scale[row] * scale[column];
    return support::from_entries(order(), all);
  }
  Index order() const { return static_cast<Index>(scale.size()); }
};

class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

  Index integer(Index least, Index most) {
    return std::uniform_int_distribution<Index>(least, most)(engine_);
  }
  /// A random sparse symmetric matrix. `zero(i)` tells whether diagonal entry i is zero.
  template <class Zero>
  RandomMatrix matrix(Index n, Zero zero) {
    RandomMatrix a;
    a.scale.assign(static_cast<std::size_t>(n), 1);
    for (Index j = 0; j < n; ++j) {
      a.entries.push_back({j, j, zero(j) ? 0.0 : static_cast<double>(integer(-4, 4))});
      for (Index i = j + 1; i < n; ++i) {
        if (integer(0, n / 3) == 0)
          a.entries.push_back({i, j, static_cast<double>(integer(-3, 3))});
      }
    }
    return a;
  }

 private:
  std::mt19937_64 engine_;
};

RandomMatrix zero_diagonals(std::uint64_t seed) {
  RandomSource source(seed);
  return source.matrix(source.integer(1, 40), [&](Index) { return source.integer(0, 1) == 0; });
}

/// Entries of very different sizes.
RandomMatrix graded(std::uint64_t seed) {
  RandomSource source(seed);
  RandomMatrix a = source.matrix(source.integer(2, 40), [](Index i) { return i % 4 == 0; });
  for (double& factor : a.scale) factor = std::ldexp(1.0, source.integer(-250, 250));
  return a;
}

/// [H Bᵀ; B 0], whose constraints B are repeated if `singular`.
RandomMatrix saddle_point(std::uint64_t seed, bool singular) {
  RandomSource source(seed);
  const Index variables = source.integer(3, 24);
  const Index constraints = source.integer(1, variables / 2);
  RandomMatrix a;
  for (Index j = 0; j < variables; ++j) {
    a.entries.push_back({j, j, static_cast<double>(source.integer(0, 3))});
  }
  const Index copies = singular ? 2 : 1;
  for (Index c = 0; c < constraints; ++c) {
    for (Index j = 0; j < variables; ++j) {
      if (source.integer(0, 2) > 0 && j != c) continue;
      const auto value = static_cast<double>(source.integer(1, 3));
      for (Index copy = 0; copy < copies; ++copy) {
        a.entries.push_back({variables + c * copies + copy, j, value});
      }
    }
  }
  const Index n = variables + copies * constraints;
  for (Index i = variables; i < n; ++i) a.entries.push_back({i, i, 0});
  a.scale.assign(static_cast<std::size_t>(n), 1);
  return a;
}

/// Numbers of factorizations.
struct Tally {
  Index exact = 0;    ///< with an exact inertia
  Index regular = 0;  ///< of matrices that are not singular
};

class RandomPivotedFactor : public testing::Test {
 protected:
  /// Factors the matrix, and compares an exact inertia with that of B.
  void check(const RandomMatrix& random, Tally& tally) {
    const Matrix matrix = to_matrix(random.scaled());
    const support::Inertia expected = support::inertia_of(random.unscaled());
    for (const Index width : {8, 9, 256}) {
      for (const bool matching : {false, true}) {
        SCOPED_TRACE("panel width " + std::to_string(width) + ", matching " +
                     std::to_string(matching));
        AnalysisOptions options;
        options.panel_width = width;
        options.narrow_panel_width = 8;
        options.matching = matching;
        FactorOptions pivoting;
        pivoting.factorization = Factorization::ldlt;
        Factor factor(runtime_, Analysis(matrix, options), pivoting);
        ASSERT_TRUE(factor.factorize(matrix).ok());
        if (expected[2] == 0) ++tally.regular;
        const Inertia inertia = factor.inertia();
        EXPECT_EQ(inertia.positive + inertia.negative + inertia.zero, matrix.size());
        if (inertia.status == Inertia::Status::uncertain) continue;
        ++tally.exact;
        EXPECT_EQ((support::Inertia{inertia.positive, inertia.negative, inertia.zero}), expected);
        expect_accurate(factor, matrix);
      }
    }
  }
  static void expect_accurate(Factor& factor, const Matrix& matrix) {
    const auto n = static_cast<std::size_t>(matrix.size());
    EXPECT_LE(factor.solve(support::random_vector(n, 1), 1, support::refined()).backward_error,
              1e-12);
  }

  Runtime runtime_{RuntimeOptions{1, "prio"}};
  static constexpr std::uint64_t seeds = 25;
};

TEST_F(RandomPivotedFactor, OfMatricesWithZeroDiagonalEntries) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    check(zero_diagonals(seed), tally);
  }
  EXPECT_GE(tally.exact, tally.regular * 9 / 10);
}

/// Row and column scaling cannot always make their small eigenvalues as large as the other ones.
TEST_F(RandomPivotedFactor, OfGradedMatrices) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    check(graded(seed), tally);
  }
  EXPECT_GE(tally.exact, tally.regular / 4);
}

TEST_F(RandomPivotedFactor, OfSaddlePoints) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    check(saddle_point(seed, false), tally);
  }
  EXPECT_GE(tally.exact, tally.regular * 9 / 10);
}

TEST_F(RandomPivotedFactor, OfSingularSaddlePointsIsUncertain) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    check(saddle_point(seed, true), tally);
  }
  EXPECT_EQ(tally.exact, 0);
}

}  // namespace
}  // namespace espalier::internal
