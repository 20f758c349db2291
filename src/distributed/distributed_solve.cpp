// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "distributed/factor_data.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

Index DistributedFactorData::block_columns(Index count, bool given_up) {
  const Communicator& comm = ranks.comm;
  const Count vector = scalar.bytes_of(comm.is_root() ? distribution.facts().n : 0);
  // b, x and the residual; the prediction has those of one already.
  const Count column = 3 * scalar.bytes_of(static_cast<Count>(vectors.entries(1)));
  const auto vectors_of = [&](Index columns) {
    const Count come_to_root = columns < count ? columns * vector : 0;
    return (columns - 1) * column + come_to_root + (given_up ? 0 : count * vector);
  };
  const auto bytes_of = [&](Index columns) {
    return vectors_of(columns) + factor->solves().bytes({count, columns});
  };
  constexpr Count any = std::numeric_limits<Count>::max();
  const Count limit = options.memory_limit > 0 ? options.memory_limit - predicted_bytes() : any;
  const Count kept = factor->solves().kept_bytes();
  const auto left_by_machine = [&](Count enough) {  // a rank's share, as all may be on one machine
    return options.deterministic
               ? any
               : kept + available_memory(enough * comm.size()).bytes / comm.size();
  };
  const auto fits = [&](Index columns) {
    const Count bytes = bytes_of(columns);
    return bytes <= limit && bytes <= left_by_machine(bytes);
  };
  const Index columns = comm.least_of_all(columns_that_fit(std::min(count, most_columns), fits));
  const Count bytes = bytes_of(columns);
  agree(comm, [&] {
    if (bytes > 0) expect_memory(predicted_bytes() + bytes, options.memory_limit);
  });
  const Count in_vectors = vectors_of(columns);
  const Count room = std::min(limit, left_by_machine(bytes + kept)) - in_vectors;
  const Count taken = factor->solves().make_room_for({count, columns}, room);
  solve_bytes = std::max(solve_bytes, in_vectors + taken);
  return columns;
}

Solution DistributedFactorData::solve(std::span<const double> b, Index count,
                                      const SolveOptions& given, std::vector<double>* owned) {
  const Communicator& comm = ranks.comm;
  struct {
    Index count;
    SolveOptions options;
  } wanted{count, given};
  comm.broadcast(wanted);
  agree(comm, [&] {
    validate(wanted.options);
    if (!factored) {
      throw UsageError("there is no factor to solve with; call factorize() with success first");
    }
    if (comm.is_root()) expect_vectors(distribution.facts().n, count, b.size(), b.size());
  });
  Refined all;
  const Stopwatch checking;
  if (norm < 0) norm = matrix->norm_inf();
  all.residual_seconds = checking.seconds();
  const Index columns = block_columns(wanted.count, owned != nullptr);
  std::vector<double> x;
  // Where there are several blocks each leaves its solutions where its right-hand sides were.
  if (columns < wanted.count) {
    x = owned != nullptr ? std::move(*owned) : std::vector<double>(b.begin(), b.end());
    b = x;
    owned = nullptr;
  }
  const std::size_t rows = comm.is_root() ? distribution.facts().n : 0;
  factor->recorder().reset_solve_tally();
  const auto solve_block = [&](Index first, Index block) {
    const std::size_t begin = rows * static_cast<std::size_t>(first);
    const Stopwatch scattering;
    std::vector<double> local_b =
        vectors.scatter(b.subspan(begin, rows * static_cast<std::size_t>(block)), block);
    const double scatter_seconds = scattering.seconds();
    if (owned != nullptr) release(*owned);
    RankSolution solution = solve_on_ranks(*factor, *matrix, vectors, norm, std::move(local_b),
                                           block, wanted.options, options.record_work);
    solution.seconds += scatter_seconds;
    all.add(solution);
    if (block == wanted.count) {
      x = std::move(solution.x);
    } else {
      std::ranges::copy(solution.x, x.data() + begin);
    }
  };
  for_each_block(wanted.count, solve_block, columns);
  history.last_solve = {all.seconds, all.residual_seconds, wanted.count, all.steps};
  factor->recorder().add_solves_to(history);
  history.backward_error = all.backward_error;
  note_peak(history.memory, "solve");
  return {std::move(x), all.backward_error, all.steps};
}

}  // namespace espalier::internal
