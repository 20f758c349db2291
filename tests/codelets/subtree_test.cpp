// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/subtree.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/packed_triangle.hpp"
#include "codelets/sample_worker.hpp"
#include "mapping/subtrees.hpp"
#include "matrix/generators.hpp"
#include "solver/entry_map.hpp"
#include "support/dense_cholesky.hpp"
#include "support/problems.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The groups of one cut of one matrix, run one by one and compared with a dense factor.
class Groups {
 public:
  Groups(SparseMatrix a, double share, const Kernels& kernels)
      : matrix_(std::move(a)),
        symbolic_(support::structure_of(matrix_)),
        dense_(support::permuted(matrix_, symbolic_.permutation)),
        sample_(symbolic_.n),
        worker_{kernels, sample_.workspace},
        values_(symbolic_.value_begin.back(), nan) {
    const std::vector<double> seconds = panel_seconds(symbolic_, KernelCost{});
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    cut_ = cut_subtrees(symbolic_, seconds, share * total);
    context_.structure = &symbolic_;
    context_.entries = map_entries(matrix_.pattern, symbolic_);
    context_.value = matrix_.value.data();
  }

  const SubtreeCut& cut() const { return cut_; }
  const SymbolicFactor& symbolic() const { return symbolic_; }
  Index failed_column() const { return context_.failure.column(); }

  /// Returns the contribution block.
  std::vector<double> run(const SubtreeCut::Group& group) {
    const Count begin = symbolic_.value_begin[group.panel_begin];
    const Count length = symbolic_.value_begin[group.panel_end] - begin;
    const Index order = cut_.external_size(group);
    std::vector<double> contribution(PackedTriangle::entries(order), nan);
    const MatrixView data[] = {{values_.data() + begin, static_cast<Index>(length), 1, length},
                               {contribution.data(), static_cast<Index>(contribution.size()), 1,
                                std::ssize(contribution)}};
    const SubtreeTask task{
        {&context_}, group.panel_begin, group.panel_end, cut_.external_rows(group)};
    task.run(std::span(data).first(order > 0 ? 2 : 1), worker_);
    return contribution;
  }

  void expect_panels(const SubtreeCut::Group& group, const support::DenseMatrix& l) const {
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      const auto rows = symbolic_.rows(p);
      const double* const panel = values_.data() + symbolic_.value_begin[p];
      for (Index c = 0; c < symbolic_.width(p); ++c) {
        for (Index i = c; i < symbolic_.height(p); ++i) {
          const double expected = l(rows[i], rows[c]);
          EXPECT_TRUE(support::close(panel[i + static_cast<Count>(c) * symbolic_.height(p)],
                                     expected, l(rows[c], rows[c]) + 1, symbolic_.n));
        }
      }
    }
  }

  /// -sum over the group's columns of l(r, k) l(c, k), for all pairs of external rows.
  void expect_contribution(const SubtreeCut::Group& group, std::vector<double>& contribution,
                           const support::DenseMatrix& l) const {
    const auto rows = cut_.external_rows(group);
    const auto order = static_cast<Index>(rows.size());
    const PackedTriangle triangle(contribution.data(), order);
    const Index first = symbolic_.panel_begin[group.panel_begin];
    const Index end = symbolic_.panel_begin[group.panel_end];
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i) {
        double expected = 0;
        for (Index k = first; k < end; ++k) expected -= l(rows[i], k) * l(rows[j], k);
        EXPECT_TRUE(support::close(*triangle.at(i, j), expected, 30, symbolic_.n));
      }
    }
  }

  const support::DenseMatrix& dense() const { return dense_; }

 private:
  SparseMatrix matrix_;
  SymbolicFactor symbolic_;
  support::DenseMatrix dense_;
  SubtreeCut cut_;
  FactorContext context_;
  support::SampleWorker sample_;
  Worker worker_;
  std::vector<double> values_;
};

class SubtreeTaskWith : public testing::TestWithParam<const Kernels*> {};

TEST_P(SubtreeTaskWith, FactorsGroupsAndSumsUpWhatTheyDoOutside) {
  for (const char* spec : {"laplace2d:12", "laplace3d:6", "irregular2d:150"}) {
    const SparseMatrix a = generate_matrix(spec);
    for (const double share : {0.05, 0.3, 2.0}) {
      SCOPED_TRACE(std::string(spec) + ", cut at " + std::to_string(share));
      Groups groups(a, share, *GetParam());
      const support::DenseMatrix l = support::dense_cholesky(groups.dense());
      ASSERT_FALSE(groups.cut().groups.empty());
      for (const auto& group : groups.cut().groups) {
        std::vector<double> contribution = groups.run(group);
        ASSERT_EQ(groups.failed_column(), -1);
        groups.expect_panels(group, l);
        groups.expect_contribution(group, contribution, l);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(SubtreeTaskWith, ReportsTheColumnWhosePivotFails) {
  const SparseMatrix good = generate_matrix("laplace2d:6");
  for (const Index column : {0, 17, 35}) {
    Groups groups(support::with_bad_column(good, column), 2.0, *GetParam());
    ASSERT_EQ(groups.cut().groups.size(), 1u);
    groups.run(groups.cut().groups[0]);
    EXPECT_EQ(groups.failed_column(), groups.symbolic().permutation.new_of[column]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SubtreeTaskWith,
                         testing::Values(&reference::kernels, &cpu::kernels),
                         [](const auto& info) { return info.index == 0 ? "reference" : "cpu"; });

}  // namespace
}  // namespace espalier
