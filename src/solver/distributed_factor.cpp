// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/option_checks.hpp"
#include "espalier/mpi.hpp"
#include "perfmodels/cost_choice.hpp"
#include "runtime/rank_data.hpp"
#include "solver/data.hpp"
#include "solver/distributed_matrix.hpp"
#include "solver/distribution.hpp"
#include "solver/factor_report.hpp"
#include "solver/matrix_checks.hpp"
#include "solver/offloading.hpp"
#include "solver/rank_factor.hpp"
#include "solver/rank_report.hpp"
#include "solver/rank_solver.hpp"
#include "solver/rank_system.hpp"
#include "solver/ranks_data.hpp"

namespace espalier {

namespace {

/// What the root makes of the options for all.
FactorOptions agreed_options(const Communicator& comm, FactorOptions options) {
  agree(comm, [&] { validate(options); });
  comm.broadcast(options);
  return options;
}

KernelCost rank_cost(const FactorOptions& options) {
  KernelCost cost;
  if (!options.deterministic) cost.measured = this_machines_costs().table;
  return cost;
}

Distribution distribute(const Communicator& comm, const Analysis::Data* analysis,
                        const FactorOptions& options) {
  if (analysis == nullptr) return Distribution(comm, nullptr);
  const BlockGrid cells{options.grid[0], options.grid[1]};
  const Distribution::Whole whole{analysis->symbolic,
                                  *analysis->pattern,
                                  analysis->cost,
                                  options.mapping,
                                  cells.size() > 0 ? &cells : nullptr,
                                  analysis->refine_partition,
                                  analysis->workers,
                                  rank_tiles(options, comm.size())};
  return Distribution(comm, &whole);
}

}  // namespace

struct DistributedFactor::Data {
  Data(const Ranks::Data& of, const Analysis::Data* analysis, const FactorOptions& given)
      : ranks(of),
        options(agreed_options(of.comm, given)),
        cost(rank_cost(options)),
        distribution(distribute(of.comm, analysis, options)),
        vectors(of.comm, distribution.part()) {
    if (analysis != nullptr) {
      pattern.emplace(analysis->pattern);
      report = analysis->report;
      report.symbolic.blocks = distribution.facts().blocks;
    }
    agree(of.comm, [&] { allocate(); });
  }

  void allocate() {
    const RankPart& part = distribution.part();
    expect_same_rounding(*ranks.starpu, options.deterministic);
    // A sum that is divided between both sides has other bits.
    const auto halo = options.deterministic ? std::nullopt : offload_options(*ranks.starpu);
    FactorPlan plan = plan_rank(part.structure, ranks.starpu->workers(), options, cost,
                                ranks.starpu->devices().workers > 0, halo);
    factor_bytes = stored_entries(part.structure, plan.graph) * static_cast<Count>(sizeof(double));
    expect_memory(predicted_peak(), options.memory_limit);
    factor.emplace(*ranks.starpu, *ranks.messenger, part.structure, distribution.take_entries(),
                   std::move(plan), options.deterministic);
    matrix.emplace(part.structure, factor->context().entries, vectors, distribution.values());
    solver.emplace(*ranks.starpu, *ranks.messenger, part.structure, *factor, cost);
  }

  /// Of this process, for the factorization alone.
  Count predicted_peak() const {
    constexpr Count program = Count{48} << 20;
    constexpr Count bytes_an_entry = 8 + 8;  // where it goes, its value
    constexpr Count bytes_a_column = 64;
    const RankPart& part = distribution.part();
    return program + factor_bytes + window_bytes(factor_bytes) +
           std::ssize(distribution.values()) * bytes_an_entry + part.structure.n * bytes_a_column;
  }

  /// The column of A that a column of L is, where this rank has it, else none.
  Index column_of_a(Index column_of_l) const;
  /// Factors what scatter() puts into the distribution; first_bad() is the first column whose
  /// diagonal entry is not positive, or more than any.
  template <typename Scatter, typename FirstBad>
  FactorStatus factorize(Scatter scatter, FirstBad first_bad);

  static constexpr Index none = std::numeric_limits<Index>::max();
  const Ranks::Data& ranks;
  // Of the analysis, on the root.
  std::optional<PatternMark> pattern;
  Report report;
  FactorOptions options;
  KernelCost cost;
  Distribution distribution;
  RankVectors vectors;
  double norm = -1;  ///< of the values that are in L, once a solve has needed it
  Count factor_bytes = 0;
  double setup_seconds = 0;
  std::optional<RankFactor> factor;
  std::optional<RankMatrix> matrix;
  std::optional<RankSolver> solver;
  bool factored = false;
  Index bad_column = -1;
  Stopwatch watch;  ///< since the call of the last factorization
  Traffic traffic;  ///< of it
  FactorHistory history;
  std::shared_ptr<const DistributedMatrix::Data> routed;  ///< whose values go these ways
  std::optional<ValueRoutes> routes;
};

namespace {

Traffic difference(const Traffic& after, const Traffic& before) {
  return {after.messages_sent - before.messages_sent,
          after.messages_received - before.messages_received, after.bytes_sent - before.bytes_sent,
          after.bytes_received - before.bytes_received};
}

}  // namespace

DistributedFactor::DistributedFactor(const Ranks& ranks, const Analysis* analysis,
                                     const FactorOptions& options) {
  const Stopwatch watch;
  agree(ranks.data().comm, [&] {
    if (ranks.is_root() == (analysis != nullptr)) return;
    throw UsageError("rank 0, and no other, gives the analysis that is to be divided");
  });
  data_ = std::make_unique<Data>(ranks.data(), analysis != nullptr ? &analysis->data() : nullptr,
                                 options);
  data_->setup_seconds = watch.seconds();
  note_peak(data_->history.memory, "setup");
}

DistributedFactor::~DistributedFactor() = default;
DistributedFactor::DistributedFactor(DistributedFactor&&) noexcept = default;
DistributedFactor& DistributedFactor::operator=(DistributedFactor&&) noexcept = default;

Index DistributedFactor::Data::column_of_a(Index column_of_l) const {
  const RankPart& part = distribution.part();
  const auto& column = part.structure.column;
  const auto shared = column.begin() + part.structure.own_columns();
  for (const auto& [begin, end] : {std::pair(column.begin(), shared), {shared, column.end()}}) {
    const auto at = std::lower_bound(begin, end, column_of_l);
    if (at != end && *at == column_of_l) return part.original[at - column.begin()];
  }
  return none;
}

template <typename Scatter, typename FirstBad>
FactorStatus DistributedFactor::Data::factorize(Scatter scatter, FirstBad first_bad) {
  const Communicator& comm = ranks.comm;
  norm = -1;
  const Traffic before = ranks.messenger->traffic();
  for (Workspace& workspace : factor->context().workspace) workspace.tally = {};
  ranks.starpu->take_device_traffic();
  watch.restart();
  scatter();
  factor->submit_factorize(distribution.values().data());
  const Index failed = factor->wait();
  traffic = difference(ranks.messenger->traffic(), before);
  factored = false;
  bad_column = -1;
  double seconds = watch.seconds();
  comm.broadcast(seconds);
  if (failed >= 0) {
    const auto all = comm.gather_from_all(std::min(column_of_a(failed), first_bad()));
    bad_column = *std::min_element(all.begin(), all.end());
    return {bad_column};
  }
  agree(comm, [&] { expect_devices_did_well(); });
  factored = true;
  if (history.add_run(seconds)) {
    const auto tally = [&](WorkerType type) {
      return tally_of(factor->context(),
                      [&](Index worker) { return ranks.starpu->type_of(worker) == type; });
    };
    history.fastest = tally(WorkerType::cpu);
    history.fastest_coprocessor = tally(WorkerType::coprocessor);
    history.fastest_cuda = tally(WorkerType::cuda);
    history.fastest_traffic = ranks.starpu->take_device_traffic();
  }
  note_peak(history.memory, "factor");
  return {};
}

FactorStatus DistributedFactor::factorize(const Matrix* matrix) {
  return factorize(matrix != nullptr ? std::optional(*matrix) : std::nullopt);
}

FactorStatus DistributedFactor::factorize(std::optional<Matrix> matrix) {
  Data& d = *data_;
  const bool root = d.ranks.comm.is_root();
  agree(d.ranks.comm, [&] {
    if (!root) return;
    if (!matrix) throw UsageError("rank 0 gives the matrix that is to be factored");
    d.pattern->expect_analyzed(*matrix);
  });
  Index first_bad = Data::none;
  const auto scatter = [&] {
    if (!root) return d.distribution.scatter({});
    first_bad = first_bad_diagonal(*matrix->data().pattern, matrix->values());
    d.distribution.scatter(matrix->values());
    matrix.reset();
  };
  return d.factorize(scatter, [&] { return first_bad; });
}

FactorStatus DistributedFactor::factorize(const DistributedMatrix& matrix) {
  Data& d = *data_;
  const Communicator& comm = d.ranks.comm;
  const auto given = matrix.shared();
  agree(comm, [&] {
    if (comm.is_root()) d.pattern->expect(*given->pattern->data().pattern);
  });
  if (d.routed != given) d.routes.emplace(d.distribution.routes_from(given->rank_of_entry));
  d.routed = given;
  return d.factorize([&] { d.distribution.scatter(*d.routes, given->part); },
                     [&] { return first_bad_diagonal(comm, given->part); });
}

Solution DistributedFactor::solve(std::span<const double> b, Index count,
                                  const SolveOptions& options) {
  Data& d = *data_;
  const Communicator& comm = d.ranks.comm;
  struct {
    Index count;
    SolveOptions options;
  } wanted{count, options};
  comm.broadcast(wanted);
  agree(comm, [&] {
    validate(wanted.options);
    if (!d.factored) {
      throw UsageError("there is no factor to solve with; call factorize() with success first");
    }
    if (comm.is_root()) expect_vectors(d.distribution.facts().n, count, b.size(), b.size());
  });
  if (d.norm < 0) d.norm = d.matrix->norm_inf();
  RankSolution solved =
      solve_on_ranks(*d.solver, *d.matrix, d.vectors, d.norm, b, wanted.count, wanted.options);
  Solution& solution = solved.solution;
  d.history.last_solve = {solved.seconds, wanted.count, solution.refinement_steps};
  d.history.backward_error = solution.backward_error;
  note_peak(d.history.memory, "solve");
  return std::move(solution);
}

namespace {

RankView view_of(DistributedFactor::Data& d) {
  return {d.ranks.comm, *d.ranks.starpu, d.distribution.part().structure,     d.cost,   d.history,
          *d.factor,    d.factor_bytes,  std::ssize(d.distribution.values()), d.traffic};
}

}  // namespace

Report DistributedFactor::report() const {
  Data& d = *data_;
  Report report;
  if (d.ranks.comm.is_root()) report = d.report;
  describe_ranks(view_of(d), report);
  if (!d.ranks.comm.is_root()) return {};
  report.symbolic.predicted_peak_bytes = d.predicted_peak();
  report.distribution.mapping = name_of(d.options.mapping);
  report.distribution.work_imbalance = d.distribution.facts().work_imbalance;
  report.distribution.memory_imbalance = d.distribution.facts().memory_imbalance;
  report.factor.granularity = name_of(d.factor->plan().granularity);
  report.factor.setup_seconds = d.setup_seconds;
  report.bad_column = d.bad_column;
  if (d.bad_column >= 0) report.status = "not_positive_definite";
  return report;
}

Schedule DistributedFactor::schedule() const {
  Data& d = *data_;
  if (!d.factored) return {};
  return schedule_of_ranks(view_of(d), d.watch, d.history.factor_seconds.back());
}

}  // namespace espalier
