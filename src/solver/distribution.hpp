// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "runtime/communicator.hpp"
#include "solver/rank_division.hpp"
#include "solver/rank_part.hpp"
#include "solver/value_routes.hpp"

namespace espalier {

/// An analyzed matrix divided among ranks. The root knows sizes, and rows of the shared part alone;
/// each rank makes the rows of its domain from its entries of A. Memory of the others is that of
/// their parts.
class Distribution {
 public:
  using Whole = RankDivision::Whole;
  /// What all ranks know of the whole.
  struct Facts {
    Index n = 0;
    double work_imbalance = 1;    ///< predicted: most over mean of the ranks
    double memory_imbalance = 1;  ///< the same of memory
    Count blocks = 0;
    bool refine = true;
    Index workers = 1;  ///< threads
  };

  /// Collective; the root gives the whole, the others null. What fails on the root is thrown on all
  /// ranks.
  Distribution(const Communicator& comm, const Whole* whole);

  const RankPart& part() const { return part_; }
  /// Those of the part, which has none from then on: there is to be one copy.
  PanelEntries take_entries() { return std::move(part_.entries); }
  const Facts& facts() const { return facts_; }

  /// Sends each rank its part of the values of the root's matrix, which has the pattern of the
  /// whole; the others give null. Collective.
  void scatter(const SparseMatrixView* matrix);
  /// The same from where they are; collective.
  void scatter(const ValueRoutes& routes, const MatrixPart& from) { routes.move(from, values_); }
  /// Routes for a matrix of which each rank has a part. Collective.
  ValueRoutes routes_from(const MatrixPart& part) const { return {comm_, rank_of_column_, part}; }
  /// Of the part, since the last scatter(); they stay where they are.
  std::span<const double> values() const { return values_; }

 private:
  const Communicator& comm_;
  RankPart part_;
  Facts facts_;
  std::vector<double> values_;
  std::vector<Index> rank_of_column_;  ///< on the root: see RankDivision
};

}  // namespace espalier
