// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/rank_factor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "graph/exchange.hpp"
#include "mapping/local_structure.hpp"
#include "plan/makespan.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/starpu/devices.hpp"

namespace espalier {

RankFactor::RankFactor(const StarpuInstance& starpu, Messenger& messenger,
                       const LocalStructure& structure, PanelEntries entries, FactorPlan plan,
                       Count window, bool deterministic)
    : structure_(structure),
      messenger_(messenger),
      plan_(std::move(plan)),
      values_(stored_entries(structure_, plan_.graph)),
      window_(window, largest_groups(plan_.graph)),
      runner_(starpu) {
  if (starpu.cuda_workers() > 0) pinned_.emplace(values_.span());
  context_.structure = &structure_;
  context_.entries = std::move(entries);
  context_.workspace = workspaces(structure_, starpu.workers());
  tasks_.emplace(structure_, plan_.graph, context_,
                 data_of_rank(structure_, plan_.graph, values_.data()), deterministic);
  const auto shadows =
      static_cast<std::size_t>(plan_.graph.contribution_data(plan_.graph.first_shadow()));
  handles_ = Handles(data().first(shadows));
  shadows_ = Handles(data().subspan(shadows), MissingMemory::starpu);
  context_.device_budget.beside_shadows = plan_.device_bytes.beside;
  if (!plan_.offloads) return;
  tasks_->make_payloads();
  home_.emplace(context_, data());
  home_handle_ = Handles(std::array{home_->data()});
}

RankFactor::~RankFactor() { runner_.wait(); }

void RankFactor::submit_factorize(const double* values) {
  runner_.wait();
  context_.value = values;
  ++context_.epoch;
  context_.failure.reset();
  context_.clock.restart();
  const Transfers transfers{plan_.graph.message, &messenger_, context_.failure, &window_};
  runner_.start(tasks_->list(), together(handles_.all(), shadows_.all()), &transfers);
  if (home_) runner_.start(home_->list(), together(home_handle_.all(), handles_.all()));
}

Index RankFactor::wait() {
  runner_.wait();
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index failed = context_.failure.column();
  const Index column = messenger_.least_of_all(failed < 0 ? none : structure_.column[failed]);
  return column == none ? -1 : column;
}

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
  const Transfers transfers{solver.tasks.messages(), &messenger_, factor_.context().failure};
  runner_.start(solver.tasks.list(), solver.data.all(), &transfers);
}

}  // namespace espalier
