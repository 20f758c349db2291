// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/syrk_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/dense.hpp"
#include "codelets/context.hpp"
#include "codelets/cpu/blas.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

namespace {

constexpr int repetitions = 5;

/// Square matrices A and C of a thread, with scratch memory.
struct Operands {
  explicit Operands(Index order)
      : n(order), a(entries(), 1e-3), c(entries(), 1.0), buffer(update_buffer_entries) {}

  std::size_t entries() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  ConstMatrixView rows(RowRange range) const {
    return {a.data() + range.begin, range.end - range.begin, n, n};
  }

  Index n;
  std::vector<double> a;
  std::vector<double> c;
  std::vector<double> buffer;
};

/// Subtracts the given rows of the product from C. `buffer` is the scratch memory of the thread.
void syrk(Operands& from, RowRange range, std::vector<double>& buffer) {
  double* const c = from.c.data() + range.begin;
  const ConstMatrixView own = from.rows(range);
  if (range.begin > 0) {
    cpu::kernels.update({own, from.rows({0, range.begin}), false, {c, from.n}, buffer});
  }
  cpu::kernels.update({own, own, true, {c + Count{range.begin} * from.n, from.n}, buffer});
}

/// Runs work(thread) `times` times on all threads, with barriers around each time. Returns the
/// seconds of one time in the fastest round.
template <class Work>
double seconds_for(Index threads, int times, Work work) {
  double fastest = 0;
  std::barrier together(threads);
  Stopwatch watch;
  const auto run = [&](Index thread) {
    for (int round = 0; round <= repetitions; ++round) {  // the first round warms up
      together.arrive_and_wait();
      if (thread == 0) watch.restart();
      for (int k = 0; k < times; ++k) {
        work(thread);
        together.arrive_and_wait();
      }
      if (thread > 0 || round == 0) continue;
      const double seconds = watch.seconds() / times;
      fastest = round == 1 ? seconds : std::min(fastest, seconds);
    }
  };
  std::vector<std::jthread> others;
  for (Index thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  others.clear();
  return fastest;
}

/// Returns a number of repetitions that takes about a millisecond.
int times_for(Index order) {
  const double flops = static_cast<double>(order) * order * order;
  return static_cast<int>(std::clamp(2e7 / flops, 1.0, 1e4));
}

/// Seconds of one SYRK (C - A Aᵀ, square, with the kernels of tasks) in three ways, each the
/// fastest of some repetitions.
struct SyrkSeconds {
  double alone = 0;  ///< one thread, other threads idle
  /// Each thread has a separate SYRK: their time divided by the number of threads.
  double side_by_side = 0;
  double together = 0;  ///< all threads share one SYRK, with barriers before and after it
};

/// Takes some milliseconds, more for large orders. Memory O(threads n^2).
SyrkSeconds measure_syrk(Index order, Index threads) {
  const SingleThreadedBlas blas;
  std::vector<Operands> own(static_cast<std::size_t>(threads), Operands(order));
  const int times = times_for(order);
  // Independent products need no barrier between them, so the repetitions are inside the series.
  const auto series = [&](Index thread) {
    for (int k = 0; k < times; ++k) syrk(own[thread], {0, order}, own[thread].buffer);
  };
  SyrkSeconds seconds;
  seconds.alone = seconds_for(1, 1, series) / times;
  seconds.side_by_side = seconds_for(threads, 1, series) / times / threads;
  seconds.together = seconds_for(threads, times, [&](Index thread) {
    const RowRange range = rows_of_slice({thread, threads}, order, order);
    if (range.begin < range.end) syrk(own[0], range, own[thread].buffer);
  });
  return seconds;
}

/// Orders of SYRK in figure 9, and the positions of the last small one and of the last medium one.
constexpr std::array<Index, 8> orders{4, 8, 16, 32, 64, 128, 256, 512};
constexpr std::size_t last_small = 1;
constexpr std::size_t last_medium = 5;

/// Adds the claims of figure 9, by the paper's three ranges of orders.
void add_syrk_claims(Figure& figure) {
  const std::vector<Value>& apart = figure.columns[0].values;
  const std::vector<Value>& together = figure.columns[1].values;
  std::vector<Judgement> small;
  std::vector<Judgement> medium;
  std::vector<Judgement> large;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    if (k <= last_small) {
      small.push_back(is_below(together[k], exact(1)));
      small.push_back(is_below(apart[k], exact(1)));
    } else if (k <= last_medium) {
      medium.push_back(is_below(together[k], apart[k]));
    } else {
      large.push_back(is_below(apart[k], together[k]));
    }
  }
  const auto claim = [&](const char* text, const std::vector<Judgement>& parts) {
    figure.claims.push_back({text, all_of(parts), "in " + tally(parts) + " comparisons"});
  };
  claim("Up to order 8 one thread is faster than all threads in either way", small);
  claim("From order 16 to 128 all threads are faster side by side than together", medium);
  claim("Above order 128 they are faster together than side by side", large);
}

}  // namespace

Figure small_syrk(Bench& bench) {
  if (bench.runs.simulated()) {
    return not_run("it measures threads of this machine, and a simulation has none");
  }
  const std::string shared = bench.shared_cores(bench.workers);
  if (bench.workers < 2 || !shared.empty()) {
    return not_run(shared.empty() ? "it needs at least two workers" : shared);
  }
  Figure figure = curves(
      "order of the matrix",
      fmt::format(
          "Speed-up of SYRK over one thread of this machine, with the kernels of tasks: {} threads "
          "with separate matrices, or all on one matrix, with a barrier after each SYRK.",
          bench.workers));
  figure.values_are = "speed-up of SYRK over one thread";
  figure.columns = {{"task parallel", Unit::factor, {}}, {"data parallel", Unit::factor, {}}};
  for (const Index order : orders) {
    std::vector<double> apart;
    std::vector<double> together;
    for (Index round = 0; round < bench.runs.settings().rounds; ++round) {
      const SyrkSeconds seconds = measure_syrk(order, bench.workers);
      apart.push_back(seconds.alone / seconds.side_by_side);
      together.push_back(seconds.alone / seconds.together);
    }
    figure.rows.push_back(std::to_string(order));
    figure.positions.push_back(order);
    figure.columns[0].values.push_back(of_runs(apart));
    figure.columns[1].values.push_back(of_runs(together));
  }
  add_syrk_claims(figure);
  return figure;
}

}  // namespace espalier::internal
