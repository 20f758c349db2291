// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "graph/shared_solve.hpp"
#include "graph/solve_tree.hpp"
#include "runtime/handles.hpp"
#include "runtime/solve_tasks.hpp"
#include "solver/rank_factor.hpp"
#include "solver/task_runner.hpp"

namespace espalier {

/// One rank's part of the triangular solves with its part of L.
class RankSolver {
 public:
  /// All arguments outlive the object.
  RankSolver(const StarpuInstance& starpu, Messenger& messenger, const LocalStructure& structure,
             RankFactor& factor, const KernelCost& cost);
  ~RankSolver();
  RankSolver(const RankSolver&) = delete;
  RankSolver& operator=(const RankSolver&) = delete;

  /// Starts a solve after a factorization that was waited for, and after the solve before it. The
  /// vectors have local rows; b is read, and x written, where this rank keeps them. All ranks start
  /// the same solves.
  void submit_solve(const SolveVectors& vectors);
  void wait() { runner_.wait(); }

 private:
  struct Solver {
    SolveTasks tasks;
    Handles data;
  };
  Solver& solver_for(Index columns);

  Messenger& messenger_;
  const LocalStructure& structure_;
  RankFactor& factor_;
  KernelCost cost_;
  SubtreeCut cut_;
  SolveTree tree_;
  SharedSolve shared_;
  std::vector<Index> identity_;
  FactorReady ready_;
  std::map<Index, std::unique_ptr<Solver>> solvers_;
  TaskRunner runner_;
};

}  // namespace espalier
