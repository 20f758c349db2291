// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cmath>

#include "base/scalar.hpp"
#include "calibrate/probe_series.hpp"

namespace espalier::internal {

namespace {

/// Name of a kernel, and the list to which it is added if its repeated timings differ.
struct KernelName {
  const char* name;
  std::vector<UnsteadyKernel>& unsteady;
};

/// Measures the task once(sizes) at every point of the grid. Divides its seconds by
/// operations(sizes).
template <class Operations, class MakeOnce>
CostGrid measured(const KernelName& kernel, Series series, std::array<int, 3> classes,
                  Operations operations, MakeOnce once) {
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
  double spread = 0;
  grid.seconds = series.steady_seconds(spread);
  if (spread > most_spread) kernel.unsteady.push_back({kernel.name, spread});
  for (std::size_t i = 0; i < work.size(); ++i) grid.seconds[i] /= work[i];
  return grid;
}

/// Returns the name of a kernel that is measured for both kinds of targets.
const char* name_of(const char* kernel, const char* kernel_again, Target target) {
  return target == Target::again ? kernel_again : kernel;
}

}  // namespace

KernelProbes::KernelProbes(const StarpuInstance& starpu, Index samples)
    : starpu_(starpu),
      samples_(samples),
      memory_(std::make_unique<ProbeMemory>(starpu.workers())) {}

KernelProbes::~KernelProbes() = default;

CostGrid KernelProbes::potrf() {
  return measured(
      {"POTRF", unsteady_}, Series(starpu_, *memory_, samples_), {width_classes, 1, 1},
      [](Index n, Index, Index) { return flops::potrf(n); },
      [&](Index n, Index, Index) { return potrf_of(*memory_, n); });
}

CostGrid KernelProbes::trsm() {
  return measured(
      {"TRSM", unsteady_}, Series(starpu_, *memory_, samples_), {rows_classes, width_classes, 1},
      [](Index m, Index n, Index) { return flops::trsm(m, n); },
      [&](Index m, Index n, Index) { return trsm_of(*memory_, m, n); });
}

CostGrid KernelProbes::syrk(Target target) {
  return measured(
      {name_of("SYRK", "SYRK again", target), unsteady_}, Series(starpu_, *memory_, samples_),
      {width_classes, width_classes, 1}, [](Index n, Index k, Index) { return flops::syrk(n, k); },
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

CostGrid KernelProbes::gemm(Target target) {
  return measured(
      {name_of("GEMM", "GEMM again", target), unsteady_}, Series(starpu_, *memory_, samples_),
      {rows_classes, width_classes, width_classes},
      [](Index m, Index n, Index k) { return flops::gemm(m, n, k); },
      [&](Index m, Index n, Index k) {
        return gemm_of(*memory_, m, n, k, updates_a_target(target));
      });
}

CostGrid KernelProbes::gemm_alone() {
  return measured(
      {"GEMM alone", unsteady_}, Series(starpu_, *memory_, samples_),
      {rows_classes, width_classes, width_classes},
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

CostGrid KernelProbes::scatter() {
  return measured(
      {"SCATTER", unsteady_}, Series(starpu_, *memory_, samples_), {rows_classes, width_classes, 1},
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

/// Returns the map of a matrix whose columns of L each have `a_column` entries of A, in every
/// second row. Consecutive entries are `step` apart among A's values.
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

/// Panels are small and have few entries of A, as most panels do. All panels with their entries
/// pass through the caches more than once, so that new data push out written data.
FillSeconds KernelProbes::fill() const {
  constexpr Index rows = 48;
  constexpr Index columns = 16;
  constexpr Index a_column = 4;
  constexpr Index panels = 8192;
  // so far apart that each of some thousand entries has its own cache line
  constexpr Count far = (Count{1} << 18) + 41;
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
  constexpr double least = 1e-12;  // if noise hides the difference
  constexpr double taken = columns * a_column;
  constexpr double other_lines = taken - taken / scalar.entries_of_line();
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
    worker.kernels.multiply(ProbeMemory::view(pool.source, rows, columns, number), x, y, nullptr,
                            {});
  });
  return series.seconds().front() / (Count{rows} * columns);
}

namespace {

struct Nothing : Arguments {
  void run(TaskData /*data*/, Worker& /*worker*/) const {}
};

/// Returns tasks that do nothing, with pieces of this memory as data. Half as many tasks as there
/// are pieces are independent of each other at any time: many more than there are workers. With
/// fewer, the time would count how long workers wait for tasks that may begin.
TaskList empty_tasks(const Nothing& nothing, const Buffer& memory, Index workers) {
  const Index pieces = std::max(256, 16 * workers);
  const Index tasks = 4 * pieces;
  TaskList list;
  for (Index i = 0; i < pieces; ++i) {
    list.data.push_back(ProbeMemory::view(memory, 8, 8, i));
  }
  for (Index i = 0; i < tasks; ++i) {
    const Access accesses[] = {{i % pieces, AccessMode::add},
                               {(i + pieces / 2) % pieces, AccessMode::read}};
    list.append({TaskKind::update}, nothing, accesses, 0);
  }
  return list;
}

/// Returns the time from the beginning of the first task to the end of the last one, in seconds.
double seconds_between(const TaskList& list) {
  double begin = list.task.front().record.begin;
  double end = 0;
  for (const BoundTask& task : list.task) {
    begin = std::min(begin, task.record.begin);
    end = std::max(end, task.record.end);
  }
  return end - begin;
}

}  // namespace

double KernelProbes::task() const {
  constexpr int repetitions = 9;
  const Nothing nothing{{&memory_->context}};
  std::vector<double> seconds;
  TaskRunner runner(starpu_);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    TaskList list = empty_tasks(nothing, memory_->pool.front().target, starpu_.cpu_workers());
    OrderedRun run(list);
    runner.start(run);
    runner.wait();
    const auto tasks = static_cast<double>(list.task.size());
    seconds.push_back(seconds_between(list) * starpu_.cpu_workers() / tasks);
  }
  return robust_mean(seconds);
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
