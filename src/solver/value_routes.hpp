// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/matrix_part.hpp"
#include "runtime/communicator.hpp"

namespace espalier {

/// The ways of values from the ranks that have parts of a matrix to those that have their columns
/// of L, straight from one to the other: one message for each two ranks and direction.
class ValueRoutes {
 public:
  /// The root gives the rank whose domain each column of A is in, or RankMap::shared; the others
  /// give none. Each rank takes its entries in the order of the whole. Throws UsageError where a
  /// rank has or takes 2^31 entries. Memory of a rank that of its entries, and at first one number
  /// for each column of A. Cost O(n + e log e) for e entries. Collective.
  ValueRoutes(const Communicator& comm, std::vector<Index> rank_of_column, const MatrixPart& part);

  /// Values of the part to their places on all ranks. Collective.
  void move(const MatrixPart& from, std::span<double> to) const;

 private:
  /// Calls f(entry of the part) for those that the rank takes.
  template <typename F>
  void for_each_sent(Index rank, F f) const;
  void find_places(const MatrixPart& part);

  const Communicator& comm_;
  std::vector<std::vector<Index>> send_;   ///< entries of the part that each rank alone takes
  std::vector<Index> send_all_;            ///< and those that all take
  std::vector<std::vector<Index>> place_;  ///< here, of what each rank sends
};

}  // namespace espalier
