// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/scalar.hpp"
#include "codelets/cpu/combined.hpp"
#include "distributed/distribution.hpp"
#include "distributed/factor_data.hpp"
#include "distributed/rank_delays.hpp"
#include "distributed/rank_report.hpp"
#include "distributed/rank_system.hpp"
#include "espalier/mpi.hpp"
#include "graph/exchange.hpp"
#include "perfmodels/phase_watch.hpp"
#include "plan/memory.hpp"
#include "report/factor_report.hpp"
#include "runtime/factor_memory.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/automatic_factorization.hpp"
#include "solver/data.hpp"
#include "solver/matrix.hpp"
#include "solver/pivots.hpp"
#include "solver/policy_needs.hpp"

namespace espalier::internal {

namespace {

Index sum(const std::vector<Index>& values) {
  return std::accumulate(values.begin(), values.end(), Index{0});
}

/// Returns the options for all ranks, made from those of the root. `workers` is the number of
/// workers of all ranks together.
FactorOptions agreed_options(const Communicator& comm, Index workers, FactorOptions options) {
  agree(comm, [&] { validate(options); });
  comm.broadcast(options);
  if (!comm.is_root()) options.memory_beside = 0;
  return options_for_ranks(options, comm.size(), workers);
}

/// Returns the costs of this rank's machine for the matrix that the root has analyzed. Call it only
/// on the root.
KernelCost own_cost(const RanksData& ranks, const AnalysisData& analysis) {
  return cost_for(analysis.facts, ranks.starpu->costs().host.table);
}

/// Returns the costs of this rank's machine for the matrix that the root has analyzed. The times
/// per column and per entry are those of the root. Collective.
KernelCost rank_cost(const RanksData& ranks, const AnalysisData* analysis,
                     const FactorOptions& options) {
  struct OfMatrix {
    double column = 0;
    double entries = 0;
  } matrix;
  if (analysis != nullptr) {
    const KernelCost root = own_cost(ranks, *analysis);
    matrix = {root.column, root.entries};
  }
  ranks.comm.broadcast(matrix);
  KernelCost cost;
  if (options.deterministic) return cost;
  cost.measured = ranks.starpu->costs().host.table;
  cost.column = matrix.column;
  cost.entries = matrix.entries;
  return cost;
}

FactorState initial_state(const RanksData& ranks, const AnalysisData* analysis, Index workers,
                          const FactorOptions& given) {
  FactorState state;
  state.starpu = ranks.starpu.get();
  state.options = agreed_options(ranks.comm, workers, given);
  begin_with_llt(state);
  state.cost = rank_cost(ranks, analysis, state.options);
  return state;
}

/// Returns the first of two series of messages that no other factor of these ranks uses. The number
/// counts the factors of the root, because other ranks may have other factors. Collective.
Index new_series(const Communicator& comm) {
  static std::atomic<Index> factors = 0;
  Index series = comm.is_root() ? 2 * factors++ : 0;
  comm.broadcast(series);
  return series;
}

/// Returns whether the ranks share the blocks of all panels, as in the papers of symPACK.
bool shares_all_blocks(const FactorOptions& options) {
  return options.mapping != Mapping::proportional && options.granularity == Granularity::block;
}

/// Returns the grid of workers of each rank if all ranks need batches. Otherwise returns nothing,
/// because all ranks must exchange the same data. Only block-cyclic maps have no contributions,
/// which batches cannot have. Collective.
std::vector<BlockGrid> grids_of_ranks(const RanksData& ranks, const FactorOptions& options) {
  std::vector<BlockGrid> grids = ranks.comm.gather_from_all(batch_owners(*ranks.starpu));
  const bool batches = shares_all_blocks(options) && options.mapping == Mapping::block_cyclic &&
                       std::ranges::all_of(grids, [](const BlockGrid& g) { return g.size() > 0; });
  if (!batches) grids.clear();
  return grids;
}

Distribution distribute(const RanksData& ranks, const AnalysisData* analysis,
                        const FactorOptions& options) {
  const Communicator& comm = ranks.comm;
  if (analysis == nullptr) return Distribution(comm, nullptr);
  const BlockGrid cells{options.grid[0], options.grid[1]};
  const KernelCost cost = own_cost(ranks, *analysis);
  const bool has_pairs = !analysis->symbolic.partner.empty();
  const Distribution::Whole whole{analysis->symbolic,
                                  *analysis->pattern,
                                  cost,
                                  options.mapping,
                                  cells.size() > 0 ? &cells : nullptr,
                                  analysis->structure.refine_partition && !has_pairs,
                                  analysis->workers,
                                  rank_tiles(options, comm.size()),
                                  shares_all_blocks(options) ? Alone::blocks : Alone::subtrees};
  return Distribution(comm, &whole);
}

}  // namespace

DistributedFactorData::DistributedFactorData(const RanksData& of,
                                             std::shared_ptr<const AnalysisData> analysis,
                                             const FactorOptions& given)
    : ranks(of),
      all_workers(sum(of.comm.gather_from_all(of.starpu->processors()))),
      requested(given),
      state(initial_state(of, analysis.get(), all_workers, given)),
      owners(grids_of_ranks(of, state.options)),
      distribution(distribute(of, analysis.get(), state.options)),
      vectors(of.comm, distribution.part()) {
  Count of_ordering = 0;
  if (analysis != nullptr) {
    pattern.emplace(analysis->pattern);
    of_ordering =
        kept_of_ordering(analysis->symbolic.n, analysis->pattern->entries(), analysis->workers);
    report = analysis->report;
    describe_costs(of.starpu->costs().host, report);
    report.symbolic.blocks = distribution.facts().blocks;
    if (state.automatic || state.options.factorization == Factorization::ldlt) {
      known = std::move(analysis);
    }
  }
  // Gives the memory of the division's temporary data back to the system.
  return_freed_memory();
  agree(of.comm, [&] { plan = planned(); });
  kept.beside += of_ordering;
  const std::vector<Count> factors = of.comm.gather_from_all(kept.factor);
  kept.mean_factor = std::accumulate(factors.begin(), factors.end(), Count{0}) / of.comm.size();
  agree(of.comm, [&] { predict_memory(); });
}

FactorPlan DistributedFactorData::planned() {
  const RankPart& part = distribution.part();
  const StarpuInstance& starpu = *ranks.starpu;
  const FactorOptions& options = state.options;
  FactorOptions possible = options;
  if (state.automatic) possible.factorization = Factorization::automatic;
  expect_supported(possible);
  cpu::kernels_for(options.kernels);  // throws if these kernels do not exist
  expect_same_rounding(starpu, options.deterministic);
  expect_fit_for_ranks(starpu);
  expect_calibrated(starpu);
  FactorPlan made =
      plan_factorization(part.structure, {.workers = starpu.processors(),
                                          .options = options,
                                          .cost = state.cost,
                                          .devices = device_model(starpu, options.deterministic),
                                          .owners = owners});
  expect_messages_of_mpi(made.graph, part.structure);
  const Count factor_bytes = scalar.bytes_of(stored_entries(part.structure, made.graph));
  kept = rank_bytes(part.structure, made.graph, factor_bytes,
                    {std::ssize(distribution.values()), distribution.facts().n});
  kept.beside = bytes_of_build(made) + bytes_of_workers(starpu.workers(), part.structure.n) +
                pivot_bytes(part.structure.n, options) +
                scaled_matrix_bytes(part.structure.n, std::ssize(distribution.values()), options) +
                bytes_to_repeat() + options.memory_beside;
  return made;
}

Count DistributedFactorData::bytes_to_repeat() const {
  if (!known || state.options.factorization != Factorization::ldlt) return 0;
  constexpr Count an_entry = scalar.bytes + Count{sizeof(Index)};  // its value and its row
  return structure_bytes(known->symbolic) + known->pattern->entries() * an_entry +
         known->symbolic.n * Count{sizeof(Count)};
}

void DistributedFactorData::predict_memory() {
  const RankPart& part = distribution.part();
  const FactorOptions& options = state.options;
  pool = window_bytes(kept, plan->graph, {part.structure.ranks, all_workers}, options.memory_limit);
  state.predicted_bytes = predicted_peak_bytes(kept, pool);
  expect_memory(state.predicted_bytes, options.memory_limit);
}

void DistributedFactorData::allocate() {
  const RankPart& part = distribution.part();
  const FactorOptions& options = state.options;
  const Index series = new_series(ranks.comm);
  agree(ranks.comm, [&] {
    FactorPlan taken = std::move(*plan);
    plan.reset();
    state.numeric = std::make_unique<NumericFactor>(
        *ranks.starpu, NumericPart{part.structure, distribution.take_entries()}, std::move(taken),
        options.deterministic, state.cost, RankExchange{*ranks.engine, pool, series});
    FactorContext& context = state.numeric->context();
    context.kernels = &cpu::kernels_for(options.kernels, state.cost.switch_points());
    matrix.emplace(part.structure, context.entries, vectors, distribution.values());
  });
}

RankView DistributedFactorData::view() {
  return {ranks.comm,
          state,
          distribution.part().structure,
          kept.factor,
          std::ssize(distribution.values()),
          traffic,
          direct};
}

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

DistributedFactor::DistributedFactor(const Ranks& ranks, const Analysis* analysis,
                                     const FactorOptions& options) {
  PhaseWatch watch(options.record_work, Internals::data(ranks).starpu->cpu_workers());
  agree(Internals::data(ranks).comm, [&] {
    if (ranks.is_root() == (analysis != nullptr)) return;
    throw UsageError("pass the analysis on rank 0, and null on all other ranks");
  });
  data_ = std::make_unique<DistributedFactorData>(
      Internals::data(ranks), analysis != nullptr ? Internals::shared(*analysis) : nullptr,
      options);
  data_->allocate();
  data_->state.setup = watch.end_phase();
  note_peak(data_->state.history.memory, "setup");
}

DistributedFactor::~DistributedFactor() = default;
DistributedFactor::DistributedFactor(DistributedFactor&&) noexcept = default;
DistributedFactor& DistributedFactor::operator=(DistributedFactor&&) noexcept = default;

void DistributedFactor::set_signs(std::span<const signed char> signs) {
  const Communicator& comm = data_->ranks.comm;
  std::vector<double> given;
  agree(comm, [&] {
    allocated(data_->state);
    expect_signed(data_->state);
    if (comm.is_root()) given = checked_signs(signs, data_->distribution.facts().n, 0);
  });
  data_->forget_handles();
  data_->state.factored = false;
  if (data_->delayed > 0) replace_factor(data_, data_->undelayed);
  DistributedFactorData& d = *data_;
  d.delayed = 0;
  d.undelayed.reset();
  d.known.reset();  // no pivots will be delayed
  std::vector<double> own = d.vectors.scatter(given, 1);
  d.vectors.spread_shared(own, 1);
  d.state.numeric->set_signs(std::move(own), d.state.options.regularization, [&comm](double own) {
    comm.find_largest(std::span(&own, 1));
    return own;
  });
}

Solution DistributedFactor::solve(std::span<const double> b, Index count,
                                  const SolveOptions& options) {
  return data_->solve(b, count, options, nullptr);
}

Solution DistributedFactor::solve(std::vector<double>&& b, Index count,
                                  const SolveOptions& options) {
  return data_->solve(b, count, options, &b);
}

Report DistributedFactor::report() const {
  DistributedFactorData& d = *data_;
  agree(d.ranks.comm, [&] { allocated(d.state); });
  Report report;
  if (d.ranks.comm.is_root()) report = d.report;
  describe_ranks(d.view(), report);
  const bool has_signs = d.state.factored && d.state.options.factorization != Factorization::llt;
  const std::optional<SignedPivotFacts> pivots = has_signs ? d.pivots() : std::nullopt;
  if (!d.ranks.comm.is_root()) return {};
  report.distribution.engine = "StarPU-MPI";
  report.distribution.mapping = name_of(d.state.options.mapping);
  report.distribution.work_imbalance = d.distribution.facts().work_imbalance;
  report.distribution.memory_imbalance = d.distribution.facts().memory_imbalance;
  describe_factor(d.state, report);
  if (pivots) {
    describe_pivots(*pivots, report);
    report.factor.attempt_seconds = d.attempt_seconds;
    report.factor.delayed = d.delayed;
  }
  return report;
}

Schedule DistributedFactor::schedule() const {
  DistributedFactorData& d = *data_;
  if (!d.state.factored || d.seconds == 0) return {};
  return schedule_of_ranks(d.view(), d.watch, d.seconds);
}

}  // namespace espalier
