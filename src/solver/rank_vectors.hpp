// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "runtime/communicator.hpp"
#include "solver/rank_part.hpp"

namespace espalier {

/// Vectors divided among ranks as the columns of L are: whole on the root, by columns, in the
/// numbering of A; on each rank those rows that are its local columns, in the local numbering, of
/// which it keeps its domain's and those of shared panels whose diagonal tile it owns.
class RankVectors {
 public:
  /// Collective. Both arguments outlive the object.
  RankVectors(const Communicator& comm, const RankPart& part);

  /// Local rows of `count` vectors.
  std::size_t entries(Index count) const {
    return static_cast<std::size_t>(part_.structure.n) * static_cast<std::size_t>(count);
  }
  /// Local rows that this rank keeps, ascending.
  std::span<const Index> kept() const { return kept_; }

  /// What each rank keeps of the root's vectors; zero in its other rows. Collective.
  std::vector<double> scatter(std::span<const double> whole, Index count) const;
  /// Back, to the root; nothing elsewhere. Collective.
  std::vector<double> gather(std::span<const double> local, Index count) const;
  /// Shared rows become the sums over all ranks. Collective.
  void add_up_shared(std::span<double> local, Index count) const;
  /// Shared rows become those of the ranks that keep them. Collective.
  void spread_shared(std::span<double> local, Index count) const;
  /// Become the largest of all ranks, not a number where one is not. Collective.
  void find_largest(std::span<double> values) const;

 private:
  template <class Move>
  void for_each_kept(Index rank, Index count, Move move) const;

  const Communicator& comm_;
  const RankPart& part_;
  std::vector<Index> kept_;
  std::vector<std::vector<Index>> rows_;  ///< on the root: of A, that each rank keeps
  Count whole_rows_ = 0;                  ///< on the root
};

}  // namespace espalier
