// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/dense.hpp"
#include "base/scalar.hpp"
#include "calibrate/probes.hpp"
#include "calibrate/rounds.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/update.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier::internal {

/// Entries of each pool of sources and of targets: 32 MiB per worker.
inline constexpr Count pool_entries = Count{1} << 22;
inline constexpr Count triangle_count = 8;  ///< 2 MiB each
inline constexpr int rows_classes = 12;     ///< up to 2048
inline constexpr int width_classes = 10;    ///< up to 512
/// Rows of a target come in runs of this length, with gaps between them.
inline constexpr Index run_length = 16;
inline constexpr Index gap = 4;
inline constexpr Index updates_a_source = 4;
constexpr Count updates_a_target(Target target) { return target == Target::again ? 16 : 1; }
/// Approximate time of a sample, which repeats short tasks.
inline constexpr double sample_seconds = 20e-6;
inline constexpr Index most_repeats = 64;
inline constexpr Index samples_a_round = 5;

constexpr Index size_of(int c) { return Index{1} << c; }

/// Memory of the generated panels.
struct ProbeMemory {
  struct Pool {
    Buffer source;  ///< only read
    Buffer target;
    /// Blocks of widest x widest entries, nearly unit matrices that are their own factors.
    Buffer triangles;
  };
  std::vector<Pool> pool;     ///< one per worker
  std::vector<Index> row;     ///< 0, 1, 2, ...
  std::vector<Index> spread;  ///< rows in runs
  std::vector<double> ones;   ///< the values of A
  std::vector<double> many;   ///< as many values as a large A has, in the same kind of memory
  LazyTile filled;            ///< marked as initialised
  FactorContext context;

  explicit ProbeMemory(Index workers) {
    const Index tallest = size_of(rows_classes - 1);
    const Index widest = size_of(width_classes - 1);
    for (Index i = 0; i < tallest; ++i) spread.push_back(i + i / run_length * gap);
    row.resize(spread.back() + 1);
    std::iota(row.begin(), row.end(), 0);
    ones.assign(widest, 1.0);
    many.assign(pool_entries, 1.0);
    for (Index w = 0; w < workers; ++w) {
      Pool& made = pool.emplace_back(Pool{Buffer(pool_entries), Buffer(pool_entries),
                                          Buffer(triangle_count * widest * widest)});
      for (Buffer* const part : {&made.source, &made.target, &made.triangles}) {
        std::fill_n(part->data(), part->size(), 1e-6);
      }
      for (Count j = 0; j < triangle_count * widest; ++j) {
        made.triangles.data()[j * widest + j % widest] = 1;
      }
    }
    set_context(workers, widest);
  }

  /// Returns a matrix of this order that is its own factor, except for rounding.
  static MatrixView triangle(const Pool& pool, Index order, Count number) {
    constexpr Index widest = Index{1} << (width_classes - 1);
    return {pool.triangles.data() + number % triangle_count * widest * widest, order, order,
            widest};
  }

  /// Returns a view of the pool. Different numbers give different views until the pool is used up.
  static MatrixView view(const Buffer& pool, Index rows, Index columns, Count number) {
    const Count entries = scalar.in_whole_lines(Count{rows} * columns);
    return {pool.data() + number % (pool.size() / entries) * entries, rows, columns, rows};
  }

 private:
  void set_context(Index workers, Index widest) {
    context.workspace.resize(workers);
    for (Workspace& workspace : context.workspace) {
      workspace.worker = static_cast<Index>(&workspace - context.workspace.data());
      workspace.buffer = Buffer(update_buffer_entries);
      workspace.reserve_maps(row.size());
    }
    context.value = ones.data();
    context.entries.begin.resize(widest + 1);
    std::iota(context.entries.begin.begin(), context.entries.begin.end(), Count{0});
    for (Index j = 0; j < widest; ++j) context.entries.entry.emplace_back(j, j);
  }
};

using Pool = ProbeMemory::Pool;
/// Runs a kernel's task once, on operands chosen by the number.
using Once = std::function<void(const Pool& pool, Count number, Worker& worker)>;

/// One sample: the same task, repeated.
struct Sample : Arguments {
  const ProbeMemory* memory = nullptr;
  const Once* once = nullptr;
  Count first = 0;
  Index repeats = 1;

  void run(TaskData /*data*/, Worker& worker) const {
    const Pool& pool = memory->pool[worker.workspace.worker];
    for (Index r = 0; r < repeats; ++r) (*once)(pool, first + r, worker);
  }
};

/// Samples of many sizes of one kernel. Each round takes a few samples of every size, so that a
/// slow moment of the machine does not affect all samples of one size.
class Series {
 public:
  Series(const StarpuInstance& starpu, ProbeMemory& memory, Index samples)
      : starpu_(starpu), memory_(memory), samples_(samples) {}

  /// Adds a size. `seconds` is an estimate of the time of `once`.
  void add(double seconds, Once once) {
    const double repeats = std::clamp<double>(sample_seconds / seconds, 1, most_repeats);
    size_.push_back({std::move(once), static_cast<Index>(repeats)});
  }

  /// Returns the seconds of each size.
  std::vector<double> seconds() {
    Rounds rounds;
    take(rounds);
    return rounds.means();
  }

  /// Returns the seconds of each size, but repeats the slowest rounds while rounds differ by more
  /// than most_spread. This at most doubles the time. Sets `spread` to the final difference.
  std::vector<double> steady_seconds(double& spread) {
    Rounds rounds;
    take(rounds);
    for (std::size_t more = rounds.count(); more > 0 && rounds.spread() > most_spread; --more) {
      rounds.add(round_of(samples_a_round));
      rounds.drop_slowest();
    }
    spread = rounds.spread();
    return rounds.means();
  }

 private:
  struct Size {
    Once once;
    Index repeats;
  };

  void take(Rounds& rounds) {
    for (Index done = 0; done < samples_; done += samples_a_round) {
      rounds.add(round_of(std::min(samples_a_round, samples_ - done)));
    }
  }

  /// Returns `count` samples of each size.
  std::vector<std::vector<double>> round_of(Index count) {
    const SingleThreadedBlas blas;
    std::deque<Sample> sample;
    TaskList list;
    for (const Size& size : size_) {
      for (Index s = 0; s < count; ++s) {
        sample.push_back({{&memory_.context}, &memory_, &size.once, number_, size.repeats});
        number_ += size.repeats;
        list.append({TaskKind::update}, sample.back(), {}, 0);
      }
    }
    Completion completion;
    starpu_.resume();
    submit(list, {}, completion);
    completion.wait();
    starpu_.pause();
    std::vector<std::vector<double>> samples(size_.size());
    for (std::size_t t = 0; t < list.task.size(); ++t) {
      const TaskRecord& record = list.task[t].record;
      samples[t / count].push_back((record.end - record.begin) / sample[t].repeats);
    }
    return samples;
  }

  const StarpuInstance& starpu_;
  ProbeMemory& memory_;
  Index samples_;
  Count number_ = 0;
  std::vector<Size> size_;
};

/// Returns an estimate of the seconds of a kernel.
inline double guess(double flops) { return 0.2e-6 + flops / 40e9; }

/// Returns a product into a dense target, without index maps.
UpdateTask dense_task(ProbeMemory& memory, Index rows, Index columns);
/// Returns an update through index maps. If `lower`, the target is a lower triangle, and its
/// columns have the numbers of its rows.
UpdateTask update_task(ProbeMemory& memory, Index rows, Index columns, bool lower);

/// Return tasks D and F of these orders, and an update U whose target is the same for `updates`
/// calls in a row.
Once potrf_of(ProbeMemory& memory, Index n);
Once trsm_of(ProbeMemory& memory, Index m, Index n);
Once gemm_of(ProbeMemory& memory, Index m, Index n, Index k, Count updates);

}  // namespace espalier::internal
