// SPDX-License-Identifier: BSD-3-Clause
#include "solver/numeric_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/dense_cholesky.hpp"
#include "support/problems.hpp"
#include "support/temporary_folder.hpp"
#include "support/tolerance.hpp"

/// Compares the entries of L computed by StarPU under every policy with those of the sequential
/// executor with triple loops, and these with a dense factorization.
namespace espalier::internal {
namespace {

constexpr Granularity granularities[] = {Granularity::automatic, Granularity::panel,
                                         Granularity::tile, Granularity::block};

/// All orderings, among them a file with a permutation.
class Orderings {
 public:
  std::vector<std::string> all(Index n) {
    return {"natural", "amd", "metis", "scotch", "auto", file_for(n)};
  }

 private:
  /// Writes a permutation that no method would choose: the numbers from 0 on in steps, reversed.
  std::string file_for(Index n) {
    std::string text;
    for (Index step = 0; step < 3; ++step) {
      for (Index i = n - 1 - step; i >= 0; i -= 3) text += std::to_string(i) + "\n";
    }
    return folder_.write("order" + std::to_string(n) + ".txt", text);
  }
  support::TemporaryFolder folder_;
};

FactorPlan plan_for(const SymbolicFactor& symbolic, Index workers, Granularity granularity) {
  FactorOptions options;
  options.granularity = granularity;
  return plan_factorization(symbolic, {.workers = workers, .options = options});
}

/// Returns the lower trapezoids of all panels as a full matrix in the numbering of L.
support::DenseMatrix dense_l(const SymbolicFactor& symbolic, std::span<const double> values) {
  support::DenseMatrix l(symbolic.n);
  for (Index p = 0; p < symbolic.panels(); ++p) {
    const auto rows = symbolic.rows(p);
    const double* column = values.data() + symbolic.value_begin[p];
    for (Index j = 0; j < symbolic.width(p); ++j, column += symbolic.height(p)) {
      for (Index i = j; i < symbolic.height(p); ++i) {
        l(rows[i], symbolic.panel_begin[p] + j) = column[i];
      }
    }
  }
  return l;
}

/// Checks |A - L Lᵀ| entry by entry against a tolerance times sqrt(a(i,i) a(j,j)). This holds for
/// any condition of A (Higham, "Accuracy and stability of numerical algorithms", 2002, theorem
/// 10.3). With a positive diagonal, L is the only triangle for which the difference is small.
testing::AssertionResult is_factor_of(const support::DenseMatrix& a,
                                      const support::DenseMatrix& l) {
  const Index n = a.order();
  for (Index j = 0; j < n; ++j) {
    if (!(l(j, j) > 0)) return testing::AssertionFailure() << "the pivot of column " << j;
    std::vector<double> product(n, 0.0);
    for (Index k = 0; k <= j; ++k) {
      const double factor = l(j, k);
      if (factor == 0) continue;
      for (Index i = j; i < n; ++i) product[i] += l(i, k) * factor;
    }
    for (Index i = j; i < n; ++i) {
      auto result = support::close(product[i], a(i, j), std::sqrt(a(i, i) * a(j, j)), n);
      if (!result) return result << " at (" << i << ", " << j << ") of L L^T";
    }
  }
  return testing::AssertionSuccess();
}

TEST(SequentialExecutor, ComputesTheFactorInEveryOrderingAndGranularity) {
  const StarpuInstance starpu(RuntimeOptions{1, "prio"});
  Orderings orderings;
  for (const auto& problem : support::solver_problems()) {
    const Index n = problem.matrix.pattern.n;
    for (const std::string& ordering : orderings.all(n)) {
      if (n > 250 && ordering != "amd") continue;
      const SymbolicFactor symbolic = support::structure_of(problem.matrix, {ordering});
      const auto a = support::permuted(problem.matrix, symbolic.permutation);
      for (const Granularity granularity : granularities) {
        SCOPED_TRACE(problem.name + ", " + ordering);
        NumericFactor factor(starpu, symbolic, problem.matrix.pattern,
                             plan_for(symbolic, 2, granularity), false, KernelCost{});
        ASSERT_EQ(factor.factorize_sequentially(problem.matrix.value.data(), reference::kernels),
                  -1);
        ASSERT_TRUE(is_factor_of(a, dense_l(symbolic, factor.values())));
      }
    }
  }
}

/// L equals a dense factorization of the permuted matrix, up to rounding errors that the condition
/// of A amplifies (Sun, "Rounding-error and perturbation bounds for the Cholesky factorization",
/// 1992).
TEST(SequentialExecutor, AgreesWithDenseCholeskyOfThePermutedMatrix) {
  const StarpuInstance starpu(RuntimeOptions{1, "prio"});
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const SymbolicFactor symbolic = support::structure_of(problem.matrix);
    const auto a = support::permuted(problem.matrix, symbolic.permutation);
    const auto expected = support::dense_cholesky(a);
    const double condition = support::condition(a, expected);
    NumericFactor factor(starpu, symbolic, problem.matrix.pattern,
                         plan_for(symbolic, 2, Granularity::tile), false, KernelCost{});
    for (const Kernels* kernels : {&reference::kernels, &cpu::kernels}) {
      ASSERT_EQ(factor.factorize_sequentially(problem.matrix.value.data(), *kernels), -1);
      const auto l = dense_l(symbolic, factor.values());
      EXPECT_TRUE(support::close(l.view(), expected.view(), symbolic.n, condition));
    }
  }
}

/// The closed form is exact in binary, whatever the order of the operations.
TEST(SequentialExecutor, GivesPowersOfTwoExactly) {
  const StarpuInstance starpu(RuntimeOptions{1, "prio"});
  const SparseMatrix a = support::powers_of_two(24);
  const SymbolicFactor symbolic = support::structure_of(a, {"natural"});
  NumericFactor factor(starpu, symbolic, a.pattern, plan_for(symbolic, 2, Granularity::block),
                       false, KernelCost{});
  factor.submit_factorize(a.value.data());
  ASSERT_EQ(factor.wait(), -1);
  const auto l = dense_l(symbolic, factor.values());
  for (Index j = 0; j < 24; ++j) {
    for (Index i = j; i < 24; ++i) {
      const Index old_i = symbolic.permutation.old_of[i];
      const Index old_j = symbolic.permutation.old_of[j];
      ASSERT_EQ(old_i, i) << "a dense matrix keeps its order";
      ASSERT_EQ(l(i, j), std::ldexp(1, old_j - old_i)) << i << ", " << j;
    }
  }
}

class FactorByStarpu : public testing::TestWithParam<std::tuple<std::string, Index>> {
 protected:
  FactorByStarpu() : starpu_(RuntimeOptions{std::get<1>(GetParam()), std::get<0>(GetParam())}) {}

  /// Returns whether tasks may take milliseconds: these policies give tasks to workers in advance,
  /// even to a worker that waits for a core because there are more workers than cores.
  bool takes_long(Index n) const {
    const auto& [policy, workers] = GetParam();
    const bool in_advance = policy == "random" || policy == "dmda" || policy == "dmdas";
    return in_advance && workers > 1 && n > 60;
  }

  void expect_like_reference(const support::NamedMatrix& problem, const std::string& ordering,
                             Granularity granularity) const {
    SCOPED_TRACE(problem.name + ", " + ordering + ", granularity " +
                 std::to_string(static_cast<int>(granularity)));
    const double* const values = problem.matrix.value.data();
    const SymbolicFactor symbolic = support::structure_of(problem.matrix, {ordering});
    const auto& pattern = problem.matrix.pattern;
    NumericFactor by_loops(starpu_, symbolic, pattern,
                           plan_for(symbolic, starpu_.cpu_workers(), granularity), false,
                           KernelCost{});
    ASSERT_EQ(by_loops.factorize_sequentially(values, reference::kernels), -1);
    NumericFactor factor(starpu_, symbolic, pattern,
                         plan_for(symbolic, starpu_.cpu_workers(), granularity), false,
                         KernelCost{});
    factor.submit_factorize(values);
    ASSERT_EQ(factor.wait(), -1);
    const auto expected = dense_l(symbolic, by_loops.values());
    const auto l = dense_l(symbolic, factor.values());
    const auto a = support::permuted(problem.matrix, symbolic.permutation);
    if (symbolic.n <= 60) {
      EXPECT_TRUE(
          support::close(l.view(), expected.view(), symbolic.n, support::condition(a, expected)));
    }
    EXPECT_TRUE(is_factor_of(a, l));
  }

  StarpuInstance starpu_;
};

TEST_P(FactorByStarpu, IsThatOfTheReferenceExecutor) {
  Orderings orderings;
  std::size_t turn = 0;
  for (const auto& problem : support::solver_problems()) {
    const Index n = problem.matrix.pattern.n;
    if (takes_long(n)) continue;
    const auto all = orderings.all(n);
    for (const Granularity granularity : granularities) {
      expect_like_reference(problem, all[turn++ % all.size()], granularity);
      if (HasFailure()) return;
    }
    ++turn;  // so that all pairs of orderings and granularities occur
  }
}

/// Each policy with one worker, and with 2, 3 or 4. With one worker, all policies run large
/// problems.
std::vector<std::tuple<std::string, Index>> policies_and_workers() {
  std::vector<std::tuple<std::string, Index>> all;
  Index turn = 0;
  for (const std::string policy : {"prio", "lws", "eager", "random", "dmda", "dmdas"}) {
    all.emplace_back(policy, 1);
    all.emplace_back(policy, 2 + turn++ % 3);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Policies, FactorByStarpu, testing::ValuesIn(policies_and_workers()),
                         [](const auto& info) {
                           return std::get<0>(info.param) + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace espalier::internal
