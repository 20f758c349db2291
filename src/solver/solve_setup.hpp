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

/// What all solves with a factor have in common: how they are cut into tasks, and which workers run
/// these.
class SolveSetup {
 public:
  /// The part and its ownership are needed no longer than the construction takes; all else outlives
  /// the object.
  SolveSetup(FactorStorage& storage, const PartView& part, std::span<const Index> vector_row,
             bool deterministic);

  /// Returns what the tasks of a solve with so many right-hand sides need to know.
  SolveInput input(Index columns, SolvePart part);
  /// Returns whether devices take part in solves with so many right-hand sides: where it takes less
  /// time to move an entry of L to them than the CPUs need for it.
  bool uses_devices(Index columns) const;
  /// Returns whether the calling thread alone runs them.
  bool runs_here(Index columns) const;
  /// Counts the rows of all vectors that a solve keeps for each right-hand side.
  Count rows() const;

 private:
  /// Returns the numbers of the columns of L in their own order.
  std::span<const Index> order_of_l();

  FactorStorage& storage_;
  std::span<const Index> vector_row_;
  std::vector<Index> identity_;  ///< numbers vectors in the order of L, once that is asked for
  bool small_ = false;           ///< solving does not pay for tasks
  double entry_seconds_{};       ///< what moving an entry of L to a device takes
  SubtreeCut cut_;
  SolveTree tree_;
  std::optional<SharedSolve> shared_;  ///< what several ranks solve together
};

}  // namespace espalier::internal
