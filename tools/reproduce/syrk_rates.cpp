// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/syrk_rates.hpp"

#include <algorithm>
#include <barrier>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/dense.hpp"
#include "codelets/context.hpp"
#include "codelets/cpu/blas.hpp"

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

}  // namespace

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

}  // namespace espalier::internal
