// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>

#include "base/dense.hpp"
#include "calibrate/probes.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/update.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier::internal {

namespace {

constexpr Count pool_entries = Count{1}
                               << 22;  ///< 32 MiB a worker for sources and for targets each
constexpr Count triangles = 8;         ///< 2 MiB each
constexpr int rows_classes = 12;       ///< up to 2048
constexpr int width_classes = 10;      ///< up to 512
constexpr Index run_length = 16;  ///< rows of a target come in runs of so many, with gaps between
constexpr Index gap = 4;
constexpr Index updates_a_source = 4;
constexpr Count updates_a_target(Target target) { return target == Target::again ? 16 : 1; }
constexpr double sample_seconds = 20e-6;  ///< a sample repeats short tasks for about so long
constexpr Index most_repeats = 64;
constexpr Index samples_a_round = 5;

Index size_of(int c) { return Index{1} << c; }

}  // namespace

/// What the made-up panels lie in.
struct ProbeMemory {
  struct Pool {
    Buffer source;  ///< only read
    Buffer target;
    Buffer triangles;  ///< blocks of widest x widest, nearly unit matrices, and their own factors
  };
  std::vector<Pool> pool;     ///< one a worker
  std::vector<Index> row;     ///< 0, 1, 2, ...
  std::vector<Index> spread;  ///< rows in runs
  std::vector<double> ones;   ///< the values of A
  std::vector<double> many;   ///< as many values as a large A has, in such memory as they are
  LazyTile filled;            ///< counts as initialised
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
      Pool& made = pool.emplace_back(
          Pool{Buffer(pool_entries), Buffer(pool_entries), Buffer(triangles * widest * widest)});
      for (Buffer* const part : {&made.source, &made.target, &made.triangles}) {
        std::fill_n(part->data(), part->size(), 1e-6);
      }
      for (Count j = 0; j < triangles * widest; ++j) {
        made.triangles.data()[j * widest + j % widest] = 1;
      }
    }
    set_context(workers, widest);
  }

  /// A matrix of that order that is its own factor but for rounding.
  static MatrixView triangle(const Pool& pool, Index order, Count number) {
    constexpr Index widest = Index{1} << (width_classes - 1);
    return {pool.triangles.data() + number % triangles * widest * widest, order, order, widest};
  }

  /// A view of the pool, another one for each number until the pool is used up.
  static MatrixView view(const Buffer& pool, Index rows, Index columns, Count number) {
    const Count entries = (Count{rows} * columns + 7) / 8 * 8;
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

namespace {

using Pool = ProbeMemory::Pool;
/// Runs a kernel's task once, on operands that go with the number.
using Once = std::function<void(const Pool& pool, Count number, Worker& worker)>;

/// One sample: the same task some times in a row.
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

/// Samples of many sizes of one kernel. They are taken in rounds through all sizes, a few of each
/// in a row, so that a slow moment of the machine does not make up all that is known of one size.
class Series {
 public:
  Series(const StarpuInstance& starpu, ProbeMemory& memory, Index samples)
      : starpu_(starpu), memory_(memory), samples_(samples) {}

  /// `seconds` is a guess of what `once` takes.
  void add(double seconds, Once once) {
    const double repeats = std::clamp<double>(sample_seconds / seconds, 1, most_repeats);
    size_.push_back({std::move(once), static_cast<Index>(repeats)});
  }

  /// Seconds of each of them.
  std::vector<double> seconds() {
    const SingleThreadedBlas blas;
    std::vector<std::vector<double>> samples(size_.size());
    for (Index done = 0; done < samples_; done += samples_a_round) {
      run_round(std::min(samples_a_round, samples_ - done), samples);
    }
    std::vector<double> means;
    means.reserve(samples.size());
    for (std::vector<double>& of_a_size : samples) means.push_back(robust_mean(of_a_size));
    return means;
  }

 private:
  struct Size {
    Once once;
    Index repeats;
  };

  void run_round(Index count, std::vector<std::vector<double>>& samples) {
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
    for (std::size_t t = 0; t < list.task.size(); ++t) {
      const TaskRecord& record = list.task[t].record;
      samples[t / count].push_back((record.end - record.begin) / sample[t].repeats);
    }
  }

  const StarpuInstance& starpu_;
  ProbeMemory& memory_;
  Index samples_;
  Count number_ = 0;
  std::vector<Size> size_;
};

double guess(double flops) { return 0.2e-6 + flops / 40e9; }

/// Measures what once(sizes) returns at every point of the grid, by operations(sizes).
template <class Operations, class MakeOnce>
CostGrid measured(Series series, std::array<int, 3> classes, Operations operations, MakeOnce once) {
  CostGrid grid{classes, {}};
  std::vector<double> work;
  for (int x = 0; x < classes[0]; ++x) {
    for (int y = 0; y < classes[1]; ++y) {
      for (int z = 0; z < classes[2]; ++z) {
        work.push_back(operations(size_of(x), size_of(y), size_of(z)));
        series.add(guess(work.back()), once(size_of(x), size_of(y), size_of(z)));
      }
    }
  }
  grid.seconds = series.seconds();
  for (std::size_t i = 0; i < work.size(); ++i) grid.seconds[i] /= work[i];
  return grid;
}

/// A product into a dense target, without index maps.
UpdateTask dense_task(ProbeMemory& memory, Index rows, Index columns) {
  UpdateTask task{{{&memory.context}, &memory.filled}};
  task.target_rows = task.source_rows = std::span(memory.row).first(rows);
  task.source_columns = std::span(memory.row).first(columns);
  task.left_row = columns;
  return task;
}

/// An update through index maps, of the lower triangle where the rows are the columns.
UpdateTask update_task(ProbeMemory& memory, Index rows, Index columns, bool lower) {
  UpdateTask task{{{&memory.context}, &memory.filled}};
  task.target_rows = std::span(memory.row).first(memory.spread[rows - 1] + 1);
  task.source_rows = std::span(memory.spread).first(rows);
  task.source_columns = lower ? task.source_rows : std::span(memory.row).first(columns);
  task.left_row = lower ? 0 : columns;
  task.lower = lower;
  return task;
}

}  // namespace

KernelProbes::KernelProbes(const StarpuInstance& starpu, Index samples)
    : starpu_(starpu),
      samples_(samples),
      memory_(std::make_unique<ProbeMemory>(starpu.workers())) {}

KernelProbes::~KernelProbes() = default;

CostGrid KernelProbes::potrf() const {
  return measured(
      Series(starpu_, *memory_, samples_), {width_classes, 1, 1},
      [](Index n, Index, Index) { return flops::potrf(n); },
      [&](Index n, Index, Index) -> Once {
        const DiagonalTask task{{{&memory_->context}, &memory_->filled}};
        return [=](const Pool& pool, Count number, Worker& worker) {
          const MatrixView a = ProbeMemory::triangle(pool, n, number);
          task.run({&a, 1}, worker);
        };
      });
}

CostGrid KernelProbes::trsm() const {
  return measured(
      Series(starpu_, *memory_, samples_), {rows_classes, width_classes, 1},
      [](Index m, Index n, Index) { return flops::trsm(m, n); },
      [&](Index m, Index n, Index) -> Once {
        const FactorTask task{{{&memory_->context}, &memory_->filled}};
        return [=](const Pool& pool, Count number, Worker& worker) {
          const MatrixView data[] = {ProbeMemory::view(pool.target, m, n, number),
                                     ProbeMemory::triangle(pool, n, number)};
          task.run(data, worker);
        };
      });
}

CostGrid KernelProbes::syrk(Target target) const {
  return measured(
      Series(starpu_, *memory_, samples_), {width_classes, width_classes, 1},
      [](Index n, Index k, Index) { return flops::syrk(n, k); },
      [&](Index n, Index k, Index) -> Once {
        const UpdateTask task = update_task(*memory_, n, n, true);
        const Count updates = updates_a_target(target);
        const auto height = static_cast<Index>(task.target_rows.size());
        return [=](const Pool& pool, Count number, Worker& worker) {
          const MatrixView data[] = {
              ProbeMemory::view(pool.target, height, height, number / updates),
              ProbeMemory::view(pool.source, n, k, number / updates_a_source)};
          task.run(data, worker);
        };
      });
}

CostGrid KernelProbes::gemm(Target target) const {
  return measured(
      Series(starpu_, *memory_, samples_), {rows_classes, width_classes, width_classes},
      [](Index m, Index n, Index k) { return flops::gemm(m, n, k); },
      [&](Index m, Index n, Index k) -> Once {
        const UpdateTask task = update_task(*memory_, m, n, false);
        const Count updates = updates_a_target(target);
        const auto height = static_cast<Index>(task.target_rows.size());
        return [=](const Pool& pool, Count number, Worker& worker) {
          const MatrixView data[] = {
              ProbeMemory::view(pool.target, height, n, number / updates),
              ProbeMemory::view(pool.source, m + n, k, number / updates_a_source)};
          task.run(data, worker);
        };
      });
}

CostGrid KernelProbes::gemm_alone() const {
  return measured(
      Series(starpu_, *memory_, samples_), {rows_classes, width_classes, width_classes},
      [](Index m, Index n, Index k) { return flops::gemm(m, n, k); },
      [&](Index m, Index n, Index k) -> Once {
        const UpdateTask task = dense_task(*memory_, m, n);
        return [=](const Pool& pool, Count number, Worker& worker) {
          const MatrixView data[] = {
              ProbeMemory::view(pool.target, m, n, number / updates_a_target(Target::again)),
              ProbeMemory::view(pool.source, m + n, k, number / updates_a_source)};
          task.run(data, worker);
        };
      });
}

CostGrid KernelProbes::scatter() const {
  return measured(
      Series(starpu_, *memory_, samples_), {rows_classes, width_classes, 1},
      [](Index m, Index n, Index) { return static_cast<double>(m) * n; },
      [&](Index m, Index n, Index) -> Once {
        const auto rows = std::span<const Index>(memory_->spread).first(m);
        const Index height = rows.back() + 1;
        const ReduceTask task{{{&memory_->context}, &memory_->filled},
                              std::span<const Index>(memory_->row).first(height),
                              rows};
        return [=](const Pool& pool, Count number, Worker& worker) {
          const MatrixView data[] = {
              ProbeMemory::view(pool.target, height, n, number),
              ProbeMemory::view(pool.source, m, n, number / updates_a_source)};
          task.run(data, worker);
        };
      });
}

namespace {

/// The map of a matrix whose columns of L have so many entries of A in every second row, all of
/// them equally far apart among A's values, or a step of one.
PanelEntries made_up_entries(Index columns, Index a_column, Count step) {
  PanelEntries entries;
  Count source = 0;
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < a_column; ++i) {
      entries.entry.emplace_back(2 * i, source);
      source = (source + step) % pool_entries;
    }
    entries.begin.push_back(std::ssize(entries.entry));
  }
  return entries;
}

}  // namespace

/// Panels are as small as most are, with as few entries of A, and all of them with their entries
/// pass through the caches more than once: what is new there pushes out what was written before.
FillSeconds KernelProbes::fill() const {
  constexpr Index rows = 48;
  constexpr Index columns = 16;
  constexpr Index a_column = 4;
  constexpr Index panels = 8192;
  constexpr Count far = (Count{1} << 18) + 41;  // a line of its own for each of some thousand
  Series series(starpu_, *memory_, 16 * samples_);
  const auto add = [&](const PanelEntries& entries) {
    series.add(sample_seconds / most_repeats, [&](const Pool& pool, Count number, Worker&) {
      const auto first = static_cast<Index>(number % panels) * columns;
      internal::fill(entries, memory_->many.data(), {first, 0},
                     ProbeMemory::view(pool.target, rows, columns, number));
    });
  };
  const PanelEntries without = made_up_entries(panels * columns, 0, 1);
  const PanelEntries in_a_row = made_up_entries(panels * columns, a_column, 1);
  const PanelEntries far_apart = made_up_entries(panels * columns, a_column, far);
  for (const PanelEntries* const entries : {&without, &in_a_row, &far_apart}) add(*entries);
  const std::vector<double> seconds = series.seconds();
  const double none = seconds[0];
  const double near = seconds[1];
  const double apart = seconds[2];
  constexpr double least = 1e-12;  // where noise hides the difference
  constexpr double taken = columns * a_column;
  constexpr double other_lines = taken - taken / 8;
  return {none / (rows * columns), std::max((near - none) / taken, least),
          std::max((apart - near) / other_lines, least)};
}

double KernelProbes::read() const {
  constexpr Index rows = 2048;
  constexpr Index columns = 64;
  Series series(starpu_, *memory_, 4 * samples_);
  series.add(sample_seconds, [&](const Pool& pool, Count number, Worker& worker) {
    const MatrixView x{pool.target.data(), 1, columns, 1};
    const MatrixView y{pool.target.data() + columns, 1, rows, 1};
    worker.kernels.multiply(ProbeMemory::view(pool.source, rows, columns, number), x, y);
  });
  return series.seconds().front() / (Count{rows} * columns);
}

namespace {

struct Nothing : Arguments {
  void run(TaskData /*data*/, Worker& /*worker*/) const {}
};

}  // namespace

double KernelProbes::task() const {
  constexpr Index pieces = 256;
  constexpr Index tasks = 1000;
  const Nothing nothing{{&memory_->context}};
  TaskList list;
  for (Index i = 0; i < pieces; ++i) {
    list.data.push_back(ProbeMemory::view(memory_->pool.front().target, 8, 8, i));
  }
  for (Index i = 0; i < tasks; ++i) {
    const Access accesses[] = {{i % pieces, AccessMode::add}, {(i + 7) % pieces, AccessMode::read}};
    list.append({TaskKind::update}, nothing, accesses, 0);
  }
  const Handles handles(list.data);
  Completion completion;
  submit(list, handles.all(), completion);
  starpu_.resume();
  completion.wait();
  starpu_.pause();
  double begin = list.task.front().record.begin;
  double end = 0;
  for (const BoundTask& task : list.task) {
    begin = std::min(begin, task.record.begin);
    end = std::max(end, task.record.end);
  }
  return (end - begin) * starpu_.cpu_workers() / tasks;
}

double robust_mean(std::vector<double>& samples) {
  const auto median_of = [](std::vector<double>& values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  const double median = median_of(samples);
  std::vector<double> deviation;
  deviation.reserve(samples.size());
  for (const double sample : samples) deviation.push_back(std::abs(sample - median));
  const double limit = 3 * 1.4826 * median_of(deviation);
  double sum = 0;
  Index count = 0;
  for (const double sample : samples) {
    if (std::abs(sample - median) > limit) continue;
    sum += sample;
    ++count;
  }
  return sum / count;
}

}  // namespace espalier::internal
