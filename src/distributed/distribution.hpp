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

/// Routes of values from the ranks that have parts of a matrix to the ranks that have the
/// corresponding columns of L. Values go directly from rank to rank, in one message per pair of
/// ranks and direction.
class ValueRoutes {
 public:
  /// The root passes, per column of A, the rank whose domain has the column, or RankMap::shared.
  /// The other ranks pass an empty array. Each rank receives its entries in the order of the whole
  /// matrix. Throws UsageError if a rank has or receives 2^31 entries or more. A rank needs memory
  /// for its entries, and temporarily for one number per column of A. Cost O(n + e log e) for e
  /// entries. Collective.
  ValueRoutes(const Communicator& comm, std::vector<Index> rank_of_column, const MatrixPart& part);

  /// Moves the values of the part to their positions on all ranks. Collective.
  void move(const MatrixPart& from, std::span<double> to) const;

  /// Returns the number of entries that this rank sends to a rank, and takes from it. The values
  /// that a rank has itself count as sent and taken.
  Count sent(Index rank) const { return std::ssize(send_[rank]) + std::ssize(send_all_); }
  Count taken(Index rank) const { return std::ssize(place_[rank]); }
  /// Copies the values for a rank, which are sent(rank), to `to`. `values` has one value per entry
  /// of the part.
  void pack(Index rank, std::span<const double> values, double* to) const;
  /// Copies the values from a rank, which are taken(rank), to their positions.
  void place(Index rank, const double* taken, std::span<double> to) const;

 private:
  /// Calls f(entry of the part) for each entry that `rank` receives.
  template <typename F>
  void for_each_sent(Index rank, F f) const;
  void find_places(const MatrixPart& part);

  const Communicator& comm_;
  /// Per rank, the entries of the part that only this rank receives.
  std::vector<std::vector<Index>> send_;
  std::vector<Index> send_all_;  ///< entries of the part that all ranks receive
  /// Per sending rank, the positions of its entries in the argument `to` of move().
  std::vector<std::vector<Index>> place_;
};

/// An analyzed matrix divided among ranks. The root knows the sizes of the whole structure, and the
/// row numbers of the shared part only. Each rank computes the rows of its domain from its entries
/// of A. So other ranks need memory only for their parts.
class Distribution {
 public:
  using Whole = RankDivision::Whole;
  /// Facts about the whole matrix that all ranks know.
  struct Facts {
    Index n = 0;
    double work_imbalance = 1;    ///< predicted work: maximum divided by mean over the ranks
    double memory_imbalance = 1;  ///< predicted memory: maximum divided by mean over the ranks
    Count blocks = 0;
    bool refine = true;
    Index workers = 1;  ///< threads
  };

  /// Divides the whole matrix, which the root passes; the other ranks pass null. If the root fails,
  /// all ranks throw its error. Collective.
  Distribution(const Communicator& comm, const Whole* whole);

  const RankPart& part() const { return part_; }
  /// Moves the entries out of the part, so that there is only one copy of them.
  PanelEntries take_entries() { return std::move(part_.entries); }
  const Facts& facts() const { return facts_; }

  /// Sends each rank its part of the values of the root's matrix, which must have the pattern of
  /// the whole matrix. The other ranks pass null. Collective.
  void scatter(const SparseMatrixView* matrix);
  /// Moves the values from the ranks that have them to the ranks that need them. Collective.
  void scatter(const ValueRoutes& routes, const MatrixPart& from) { routes.move(from, values_); }
  /// Returns the routes for a matrix whose parts are on the ranks. Collective.
  ValueRoutes routes_from(const MatrixPart& part) const { return {comm_, rank_of_column_, part}; }
  /// Returns the values of the part from the last scatter(). Their address never changes.
  std::span<const double> values() const { return values_; }
  /// Returns the same memory for tasks that store other values.
  std::span<double> memory_of_values() { return values_; }

 private:
  const Communicator& comm_;
  RankPart part_;
  Facts facts_;
  std::vector<double> values_;
  std::vector<Index> rank_of_column_;  ///< only on the root; see RankDivision
};

}  // namespace espalier::internal
