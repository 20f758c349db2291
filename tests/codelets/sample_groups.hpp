// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "codelets/samples.hpp"
#include "codelets/tasks/factorize.hpp"
#include "mapping/subtrees.hpp"
#include "solver/entry_map.hpp"
#include "support/dense_cholesky.hpp"
#include "support/problems.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal::support {

/// The groups of one cut of one matrix. They are run one by one and compared with a dense factor.
class Groups {
 public:
  Groups(SparseMatrix a, double share, const Kernels& kernels)
      : matrix_(std::move(a)),
        symbolic_(structure_of(matrix_)),
        dense_(permuted(matrix_, symbolic_.permutation)),
        sample_(symbolic_.n),
        worker_{kernels, sample_.workspace},
        values_(symbolic_.value_begin.back(), std::numeric_limits<double>::quiet_NaN()) {
    const std::vector<double> seconds = panel_seconds(symbolic_, KernelCost{});
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    cut_ = cut_subtrees(symbolic_, seconds, share * total);
    context_.structure = &symbolic_;
    context_.entries = map_entries(matrix_.pattern, symbolic_);
    context_.value = matrix_.value.data();
    context_.epoch = 1;
  }

  const SubtreeCut& cut() const { return cut_; }
  const SymbolicFactor& symbolic() const { return symbolic_; }
  FactorContext& context() { return context_; }
  Worker& worker() { return worker_; }
  Index failed_column() const { return context_.failure.column(); }

  /// Returns the values of the panels of a group.
  MatrixView values_of(const SubtreeCut::Group& group) {
    const Count begin = symbolic_.value_begin[group.panel_begin];
    const Count length = symbolic_.value_begin[group.panel_end] - begin;
    return {values_.data() + begin, static_cast<Index>(length), 1, length};
  }

  /// Gives signs to all columns, and puts those of a group into its panels.
  void put_signs_of(const SubtreeCut::Group& group, std::vector<double> signs) {
    context_.signs.sign = std::move(signs);
    context_.signs.in_tiles = true;
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      const Index height = symbolic_.height(p);
      double* const panel = values_.data() + symbolic_.value_begin[p];
      context_.signs.tell(symbolic_.panel_begin[p], {panel, height, symbolic_.width(p), height});
    }
  }

  void run(const SubtreeCut::Group& group) {
    const MatrixView data[] = {values_of(group)};
    SubtreeTask{{&context_}, group.panel_begin, group.panel_end}.run(data, worker_);
  }

  void expect_panels(const SubtreeCut::Group& group, const DenseMatrix& l) const {
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      const auto rows = symbolic_.rows(p);
      const double* const panel = values_.data() + symbolic_.value_begin[p];
      for (Index c = 0; c < symbolic_.width(p); ++c) {
        for (Index i = c; i < symbolic_.height(p); ++i) {
          const double expected = l(rows[i], rows[c]);
          EXPECT_TRUE(close(panel[i + static_cast<Count>(c) * symbolic_.height(p)], expected,
                            l(rows[c], rows[c]) + 1, symbolic_.n));
        }
      }
    }
  }

  const DenseMatrix& dense() const { return dense_; }

 private:
  SparseMatrix matrix_;
  SymbolicFactor symbolic_;
  DenseMatrix dense_;
  SubtreeCut cut_;
  FactorContext context_;
  SampleWorker sample_;
  Worker worker_;
  std::vector<double> values_;
};

}  // namespace espalier::internal::support
