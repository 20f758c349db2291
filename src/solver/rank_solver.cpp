// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_solver.hpp"

#include <numeric>

namespace espalier {

RankSolver::RankSolver(const StarpuInstance& starpu, Messenger& messenger,
                       const LocalStructure& structure, RankFactor& factor, const KernelCost& cost)
    : messenger_(messenger),
      structure_(structure),
      factor_(factor),
      cost_(cost),
      cut_(cut_for_solve(structure, cost_, factor.plan().workers)),
      tree_(build_solve_tree(structure, cut_, solve_tile_entries)),
      shared_(build_shared_solve(structure, factor.plan().graph.tiling, solve_tile_entries)),
      identity_(static_cast<std::size_t>(structure.n)),
      ready_(factor.context(), factor.data()),
      runner_(starpu) {
  std::iota(identity_.begin(), identity_.end(), 0);
  for (const MatrixView& piece : solver_for(1).tasks.pieces()) {  // the first solve finds its pages
    fill_zero(piece);
  }
}

RankSolver::~RankSolver() { runner_.wait(); }

RankSolver::Solver& RankSolver::solver_for(Index columns) {
  auto& solver = solvers_[columns];
  if (solver) return *solver;
  reserve_vectors(factor_.context().workspace, columns);
  const SolveInput input{structure_,
                         tree_,
                         cost_,
                         factor_.context(),
                         factor_.values(),
                         identity_.data(),
                         &shared_,
                         factor_.data().first(factor_.plan().graph.tiling.tile.size())};
  solver.reset(new Solver{{input, ready_, columns}, {}});
  solver->data = Handles(solver->tasks.list().data);
  return *solver;
}

void RankSolver::submit_solve(const SolveVectors& vectors) {
  runner_.wait_for_tasks();
  Solver& solver = solver_for(vectors.count);
  solver.tasks.set_vectors(vectors);
  const Mail mail{solver.tasks.messages(), &messenger_, factor_.context().failure};
  runner_.start(solver.tasks.list(), solver.data.all(), &mail);
}

}  // namespace espalier
