// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/shared_solve.hpp"
#include "graph/solve_tree.hpp"
#include "runtime/solve_input.hpp"
#include "solver/factor_storage.hpp"

namespace espalier::internal {

/// Data that all solves with a factor share: how they are divided into tasks, and which workers run
/// the tasks.
class SolveSetup {
 public:
  /// `part` and its ownership are only needed during construction. All other arguments must outlive
  /// the object.
  SolveSetup(FactorStorage& storage, const PartView& part, std::span<const Index> vector_row,
             bool deterministic);

  /// Returns the input of the tasks of a solve with `columns` right-hand sides.
  SolveInput input(Index columns, SolvePart part);
  /// Returns whether solves with `columns` right-hand sides use devices. This is so if copying an
  /// entry of L to a device takes less time than the CPUs need for the entry.
  bool uses_devices(Index columns) const;
  /// Returns whether the calling thread alone runs solves with `columns` right-hand sides.
  bool runs_here(Index columns) const;
  /// Returns the number of rows of all vectors that a solve stores per right-hand side.
  Count rows() const;

 private:
  /// Returns the identity numbering of the columns of L.
  std::span<const Index> order_of_l();

  FactorStorage& storage_;
  std::span<const Index> vector_row_;
  std::vector<Index> identity_;  ///< the identity numbering, after its first use
  bool small_ = false;           ///< solves are too short for tasks
  double entry_seconds_{};       ///< time to copy one entry of L to a device, in seconds
  SubtreeCut cut_;
  SolveTree tree_;
  std::optional<SharedSolve> shared_;  ///< steps for the panels that several ranks share
};

}  // namespace espalier::internal
