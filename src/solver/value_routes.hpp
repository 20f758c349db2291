// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/matrix_part.hpp"
#include "runtime/communicator.hpp"

namespace espalier {

/// The ways of values from the ranks that have parts of a matrix to those that have their columns
/// of L, straight from one to the other.
class ValueRoutes {
 public:
  /// On the root, `owner` has the rank that takes each entry of the whole, or RankMap::shared for
  /// all, and `rank_of_entry` the rank that has it; the others give none. Each takes them in the
  /// order of the whole. Throws UsageError where a rank has 2^31 entries. Collective.
  ValueRoutes(const Communicator& comm, std::span<const Index> owner,
              std::span<const Index> rank_of_entry);

  /// Values of the part to their places on all ranks. Collective.
  void move(const MatrixPart& from, std::span<double> to) const;

 private:
  const Communicator& comm_;
  std::vector<std::vector<Index>> send_;     ///< entries of the part that each rank takes
  std::vector<std::vector<Index>> receive_;  ///< places here of what each rank sends
};

}  // namespace espalier
