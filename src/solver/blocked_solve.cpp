// SPDX-License-Identifier: BSD-3-Clause
#include "solver/blocked_solve.hpp"

#include <algorithm>
#include <limits>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "plan/memory.hpp"

namespace espalier::internal {

Index block_columns(FactorState& state, const LinearSystem& system, const SolveRequest& request) {
  SolveCache& tasks = state.numeric->solves();
  const auto blocks = [&](Index columns) {
    return SolveBlocks{request.count, columns, request.part};
  };
  const auto bytes_of = [&](Index columns) {
    return request.vector_bytes(columns) + tasks.bytes(blocks(columns));
  };
  constexpr Count any = std::numeric_limits<Count>::max();
  const Count given = state.options.memory_limit;
  const Count limit = given > 0 ? given - state.predicted_bytes : any;
  const Count kept = tasks.kept_bytes();
  const Index sharers = system.processes();  // all processes may run on one machine
  const auto left_by_machine = [&](Count enough) {
    return state.options.deterministic ? any
                                       : kept + available_memory(enough * sharers).bytes / sharers;
  };
  const auto fits = [&](Index columns) {
    const Count bytes = bytes_of(columns);
    return bytes <= limit && bytes <= left_by_machine(bytes);
  };
  const Index most = std::min(request.count, most_columns);
  const Index columns = system.least_of_all(columns_that_fit(most, fits));
  const Count bytes = bytes_of(columns);
  system.agree([&] {
    if (bytes > 0) expect_memory(state.predicted_bytes + bytes, given);
  });
  const Count vectors = request.vector_bytes(columns);
  const Count space = std::min(limit, left_by_machine(bytes + kept)) - vectors;
  const Count taken = tasks.make_space_for(blocks(columns), space);
  state.solve_bytes = std::max(state.solve_bytes, vectors + taken);
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
