// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "distributed/partition.hpp"
#include "matrix/matrix_part.hpp"
#include "matrix/sparse_matrix.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

/// The ways of values from the ranks that have parts of a matrix to those that have their columns
/// of L, straight from one to the other: one message for each two ranks and direction.
class ValueRoutes {
 public:
  /// The root gives the rank whose domain each column of A is in, or RankMap::shared; the others
  /// give none. Each rank takes its entries in the order of the whole. Throws UsageError where a
  /// rank has or takes 2^31 entries. Memory of a rank that of its entries, and at first one number
  /// for each column of A. Cost O(n + e log e) for e entries. Collective.
  ValueRoutes(const Communicator& comm, std::vector<Index> rank_of_column, const MatrixPart& part);

  /// Moves values of the part to their places on all ranks. Collective.
  void move(const MatrixPart& from, std::span<double> to) const;

 private:
  /// Calls f(entry of the part) for those that the rank takes.
  template <typename F>
  void for_each_sent(Index rank, F f) const;
  void find_places(const MatrixPart& part);

  const Communicator& comm_;
  std::vector<std::vector<Index>> send_;   ///< entries of the part that each rank alone takes
  std::vector<Index> send_all_;            ///< entries of the part that all ranks take
  std::vector<std::vector<Index>> place_;  ///< places here of what each rank sends
};

/// An analyzed matrix divided among ranks. The root knows sizes, and rows of the shared part alone;
/// each rank makes the rows of its domain from its entries of A. Memory of the others is that of
/// their parts.
class Distribution {
 public:
  using Whole = RankDivision::Whole;
  /// What all ranks know of the whole.
  struct Facts {
    Index n = 0;
    double work_imbalance = 1;    ///< predicted work: most over mean of the ranks
    double memory_imbalance = 1;  ///< predicted memory: most over mean of the ranks
    Count blocks = 0;
    bool refine = true;
    Index workers = 1;  ///< threads
  };

  /// Divides the whole, which the root gives; the others give null. What fails on the root is
  /// thrown on all ranks. Collective.
  Distribution(const Communicator& comm, const Whole* whole);

  const RankPart& part() const { return part_; }
  /// Returns the entries of the part, which has none from then on: there is to be one copy.
  PanelEntries take_entries() { return std::move(part_.entries); }
  const Facts& facts() const { return facts_; }

  /// Sends each rank its part of the values of the root's matrix, which has the pattern of the
  /// whole; the others give null. Collective.
  void scatter(const SparseMatrixView* matrix);
  /// Moves the values from the ranks that have them. Collective.
  void scatter(const ValueRoutes& routes, const MatrixPart& from) { routes.move(from, values_); }
  /// Routes for a matrix of which each rank has a part. Collective.
  ValueRoutes routes_from(const MatrixPart& part) const { return {comm_, rank_of_column_, part}; }
  /// Returns those of the part, since the last scatter(); they stay where they are.
  std::span<const double> values() const { return values_; }

 private:
  const Communicator& comm_;
  RankPart part_;
  Facts facts_;
  std::vector<double> values_;
  std::vector<Index> rank_of_column_;  ///< only the root has it: see RankDivision
};

}  // namespace espalier::internal
