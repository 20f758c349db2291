// SPDX-License-Identifier: BSD-3-Clause
#include "solver/blocked_solve.hpp"

#include <algorithm>
#include <limits>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "plan/memory.hpp"

namespace espalier::internal {

namespace {

/// The memory that a solve may use.
class SolveSpace {
 public:
  SolveSpace(FactorState& state, const LinearSystem& system, const SolveRequest& request)
      : state_(state),
        tasks_(state.numeric->solves()),
        request_(request),
        sharers_(system.processes()),  // all processes may run on one machine
        kept_(tasks_.kept_bytes()) {
    if (state.options.memory_limit > 0) limit_ = state.options.memory_limit - state.predicted_bytes;
  }

  SolveBlocks blocks(Index columns) const { return {request_.count, columns, request_.part}; }
  Count bytes_of(Index columns) const {
    return request_.vector_bytes(columns) + tasks_.bytes(blocks(columns));
  }
  bool fits(Index columns) const {
    const Count bytes = bytes_of(columns);
    return bytes <= limit_ && bytes <= left_by_machine(bytes);
  }
  /// Returns the bytes that the tasks of solves may use if a block has `columns` columns.
  Count for_tasks(Index columns) const {
    return std::min(limit_, left_by_machine(bytes_of(columns) + kept_)) -
           request_.vector_bytes(columns);
  }

 private:
  static constexpr Count any = std::numeric_limits<Count>::max();

  Count left_by_machine(Count enough) const {
    if (state_.options.deterministic) return any;
    return kept_ + available_memory(enough * sharers_).bytes / sharers_;
  }

  FactorState& state_;
  SolveCache& tasks_;
  const SolveRequest& request_;
  Index sharers_;
  Count kept_;
  Count limit_ = any;
};

}  // namespace

Index columns_in_memory(FactorState& state, const LinearSystem& system,
                        const SolveRequest& request) {
  const SolveSpace space(state, system, request);
  const Index most = std::min(request.count, most_columns);
  const Index columns = system.least_of_all(
      columns_that_fit(most, [&](Index columns) { return space.fits(columns); }));
  const Count bytes = space.bytes_of(columns);
  system.agree([&] {
    if (bytes > 0) expect_memory(state.predicted_bytes + bytes, state.options.memory_limit);
  });
  state.solve_bytes = std::max(state.solve_bytes, bytes);
  return columns;
}

Index block_columns(FactorState& state, const LinearSystem& system, const SolveRequest& request) {
  const Index columns = columns_in_memory(state, system, request);
  const SolveSpace space(state, system, request);
  const Count taken =
      state.numeric->solves().make_space_for(space.blocks(columns), space.for_tasks(columns));
  state.solve_bytes = std::max(state.solve_bytes, request.vector_bytes(columns) + taken);
  return columns;
}

Refined solve_block(LinearSystem& system, double norm, const RefinedVectors& vectors, Index columns,
                    Index most_steps, bool records) {
  const auto solve = [&](std::span<const double> from, std::span<double> to) {
    system.solve(from, to, columns);
  };
  const auto residual = [&](std::span<double> x, std::span<double> r) {
    return system.residual({vectors.b, x, r}, norm, columns);
  };
  const auto error = [&](std::span<double> x) { return system.error(vectors.b, x, norm, columns); };
  return solve_refined(vectors, most_steps, records, solve, residual, error);
}

Refined solve_blocks(FactorState& state, LinearSystem& system, const BlockedSolve& how,
                     const BlockStream& stream) {
  FactorHistory& history = state.history;
  state.numeric->recorder().reset_solve_tally();
  Refined all;
  const Stopwatch checking;
  if (state.norm < 0) state.norm = system.norm();
  all.residual_seconds = checking.seconds();
  const auto solve = [&](Index first, Index columns) {
    const BlockVectors vectors = stream.begin(first, columns);
    Refined block = solve_block(system, state.norm, vectors, columns, how.options.refinement_steps,
                                state.options.record_work);
    block.seconds += vectors.seconds;
    block.seconds += stream.end(first, vectors, block.backward_error);
    all.add(block);
  };
  for_each_block(how.count, solve, how.columns);
  history.last_solve = {all.seconds, all.residual_seconds, how.count, all.steps};
  state.numeric->recorder().add_solves_to(history);
  history.backward_error = all.backward_error;
  note_peak(history.memory, "solve");
  return all;
}

}  // namespace espalier::internal
