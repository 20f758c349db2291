// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clock.hpp"
#include "base/release.hpp"
#include "matrix/norms.hpp"
#include "solver/refinement.hpp"

namespace espalier {

/// Calls f(row, column, value), both local, for all entries that count here.
template <class F>
void RankMatrix::for_each_entry(F f) const {
  for (Index p = 0; p < structure_.panels(); ++p) {
    if (structure_.owner(p, p) != structure_.rank) continue;
    const auto rows = structure_.rows(p);
    for (Index j = structure_.panel_begin[p]; j < structure_.panel_begin[p + 1]; ++j) {
      for (Count k = entries_.begin[j]; k < entries_.begin[j + 1]; ++k) {
        const PanelEntry entry = entries_.entry[k];
        f(rows[entry.local_row()], j, values_[entry.source()]);
      }
    }
  }
}

double RankMatrix::norm_inf() const {
  std::vector<double> sums(vectors_.entries(1));
  for_each_entry([&](Index i, Index j, double value) {
    sums[i] += std::fabs(value);
    if (i != j) sums[j] += std::fabs(value);
  });
  vectors_.add_up_shared(sums, 1);
  std::array largest{max_abs(sums)};
  vectors_.find_largest(largest);
  return largest[0];
}

std::vector<double> RankMatrix::residual(std::vector<double> b, std::span<double> x,
                                         Index count) const {
  constexpr Index together = 4;  // vectors that one pass over A serves
  vectors_.spread_shared(x, count);
  const std::size_t rows = vectors_.entries(1);
  for (Index first = 0; first < count; first += together) {
    const Index width = std::min(together, count - first);
    const double* const from = x.data() + vectors_.entries(first);
    double* const to = b.data() + vectors_.entries(first);
    for_each_entry([=](Index i, Index j, double value) {
      for (Index c = 0; c < width; ++c) {
        to[c * rows + i] -= value * from[c * rows + j];
        if (i != j) to[c * rows + j] -= value * from[c * rows + i];
      }
    });
  }
  vectors_.add_up_shared(b, count);
  return b;
}

double RankMatrix::backward_error(double norm, std::span<const double> x, std::span<const double> b,
                                  std::span<const double> r, Index count) const {
  std::vector<double> largest;
  const std::size_t rows = vectors_.entries(1);
  for (const auto vectors : {x, b, r}) {
    for (Index c = 0; c < count; ++c) {
      largest.push_back(max_abs(vectors.subspan(vectors_.entries(c), rows)));
    }
  }
  vectors_.find_largest(largest);
  const auto one = [&](Index which, Index c) {
    const auto at = static_cast<std::size_t>(which * Count{count} + c);
    return std::span<const double>(largest).subspan(at, 1);
  };
  double worst = 0;
  for (Index c = 0; c < count && !std::isnan(worst); ++c) {
    const double error = espalier::backward_error(norm, one(0, c), one(1, c), one(2, c));
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  return worst;
}

namespace {

/// x for b, where this rank keeps them; zero in its other rows.
std::vector<double> solved(RankSolver& solver, const RankVectors& vectors,
                           std::span<const double> b, Index count) {
  std::vector<double> x(vectors.entries(count), 0.0);
  for_each_block(count, [&](Index first, Index columns) {
    const std::size_t offset = vectors.entries(first);
    solver.submit_solve({b.data() + offset, x.data() + offset, columns});
  });
  solver.wait();
  return x;
}

/// x on each rank, refined, and what is known of it. What refinement needs is free afterwards.
std::vector<double> refined(RankSolver& solver, const RankMatrix& a, const RankVectors& vectors,
                            double norm, const std::vector<double>& b, Index count,
                            Index most_steps, RankSolution& result) {
  auto& [solution, seconds] = result;
  Stopwatch watch;
  std::vector<double> x = solved(solver, vectors, b, count);
  seconds = watch.seconds();
  std::vector<double> r = a.residual(b, x, count);
  solution.backward_error = a.backward_error(norm, x, b, r, count);
  std::vector<double> better;
  watch.restart();
  solution.refinement_steps = refine(
      solution.backward_error, most_steps,
      [&] {
        better = solved(solver, vectors, r, count);
        for (std::size_t i = 0; i < x.size(); ++i) better[i] += x[i];
        r = a.residual(b, better, count);
        return a.backward_error(norm, better, b, r, count);
      },
      [&] { x.swap(better); });
  seconds += watch.seconds();
  return x;
}

}  // namespace

RankSolution solve_on_ranks(RankSolver& solver, const RankMatrix& a, const RankVectors& vectors,
                            double norm, std::vector<double> b, Index count,
                            const SolveOptions& options) {
  RankSolution result;
  const std::vector<double> x =
      refined(solver, a, vectors, norm, b, count, options.refinement_steps, result);
  release(b);
  const Stopwatch watch;
  result.solution.x = vectors.gather(x, count);
  result.seconds += watch.seconds();
  return result;
}

}  // namespace espalier
