// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/dense.hpp"
#include "calibrate/probes.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/cuda/functions.hpp"
#include "codelets/payload/task_payload.hpp"
#include "codelets/tasks/update.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier::internal {

namespace {

constexpr int tallest_class = 11;  ///< 2048 rows
constexpr int widest_class = 9;    ///< 512 columns
constexpr Index run_of_rows = 16;  ///< rows of a target come in runs, with gaps between
constexpr Index rows_between = 4;
constexpr Index small_pieces = 16;
/// Number of large pieces. Together they exceed the caches, so that no piece is in a cache when it
/// is copied. The same holds for the panels of a factor.
constexpr Index large_pieces = 64;
/// Number of pieces as large as the widest source, and also number of their targets.
constexpr Index wide_pieces = 6;
constexpr Index short_tasks = 200;

Index class_size(int c) { return Index{1} << c; }

enum class ProbeForm {
  rectangle,  ///< an update through index maps
  lower,      ///< an update of a lower triangle through index maps
  dense,      ///< a product into consecutive rows and columns
  scatter     ///< R: adds a block through an index map
};

/// Size of an update or of a scattered block. For a scattered block, `inner` is its number of
/// columns.
struct ProbeSize {
  Index rows;
  Index columns;
  Index inner;
  ProbeForm form = ProbeForm::rectangle;

  double operations() const {
    switch (form) {
      case ProbeForm::lower: return flops::syrk(columns, inner);
      case ProbeForm::scatter: return static_cast<double>(rows) * columns;
      default: return flops::gemm(rows, columns, inner);
    }
  }
};

}  // namespace

/// Sources and targets of all widths, and the data that their tasks share.
struct DeviceBench {
  explicit DeviceBench(const StarpuInstance& instance)
      : starpu(instance),
        source_rows(class_size(tallest_class) + class_size(widest_class)),
        target_rows(source_rows / run_of_rows * (run_of_rows + rows_between)) {
    for (Index i = 0; i < source_rows; ++i) spread.push_back(i + i / run_of_rows * rows_between);
    row.resize(target_rows);
    std::iota(row.begin(), row.end(), 0);
    for (int c = 0; c <= widest_class; ++c) source.push_back(add_data(source_rows, class_size(c)));
    for (int c = 0; c <= widest_class; ++c) {
      target.push_back(add_data(target_rows, spread[class_size(c) - 1] + 1));
    }
    for (Index i = 0; i < small_pieces; ++i) small.push_back(add_data(128, 64));
    for (Index i = 0; i < large_pieces; ++i) large.push_back(add_data(1024, 128));
    for (std::vector<Index>* const list : {&wide_source, &wide_target}) {
      for (Index i = 0; i < wide_pieces; ++i) {
        list->push_back(add_data(source_rows, class_size(widest_class)));
      }
    }
    handles = Handles(data);
    context.times_devices = true;
    context.workspace.resize(starpu.workers());
    for (Workspace& workspace : context.workspace) {
      workspace.worker = static_cast<Index>(&workspace - context.workspace.data());
      workspace.buffer = Buffer(update_buffer_entries);
      workspace.reserve_maps(row.size());
    }
  }

  Index add_data(Index rows, Index columns) {
    memory.emplace_back(Count{rows} * columns);
    std::fill_n(memory.back().data(), memory.back().size(), 1e-6);
    if (starpu.cuda_workers() > 0) pinned.emplace_back(std::vector{memory.back().span()}).wait();
    data.push_back({memory.back().data(), rows, columns, rows});
    return static_cast<Index>(data.size()) - 1;
  }

  const StarpuInstance& starpu;
  Index source_rows;
  Index target_rows;
  std::vector<Index> row;     ///< 0, 1, 2, ...
  std::vector<Index> spread;  ///< rows in runs
  std::deque<Buffer> memory;
  std::deque<PinnedMemory> pinned;  ///< pins that memory if the values of factors are pinned too
  std::vector<DataView> data;
  std::vector<Index> source;  ///< positions in data, for each class of width
  std::vector<Index> target;
  std::vector<Index> small;
  std::vector<Index> large;
  std::vector<Index> wide_source;
  std::vector<Index> wide_target;
  LazyTile filled;  ///< marked as initialised
  FactorContext context;
  Handles handles;
};

namespace {

/// A sequence of updates on the device or the host, and their measured times.
class DeviceUpdates {
 public:
  explicit DeviceUpdates(DeviceBench& bench) : bench_(bench) { list_.data = bench.data; }

  void add(const ProbeSize& size, Index target, Index source, Index device = 0) {
    const bool scatters = size.form == ProbeForm::scatter;
    Shape shape{scatters ? TaskKind::reduce : TaskKind::update, size.rows, size.columns,
                size.inner};
    shape.flops = size.operations();
    shape.seconds = 1e-6;
    shape.device = device;
    const Access accesses[] = {{target, AccessMode::read_write}, {source, AccessMode::read}};
    if (scatters) {
      scatter_.push_back({{{&bench_.context}, &bench_.filled}, rows_of(target), spread(size.rows)});
      list_.append(shape, scatter_.back(), accesses, 0);
    } else {
      list_.append(shape, update_.emplace_back(update(size, target)), accesses, 0);
    }
  }

  /// Returns the seconds from submission to end. Throws RuntimeFailure if a device fails, because
  /// the times of skipped tasks would be too short.
  double run() {
    const TaskPayloads payloads(list_);
    list_.payloads = &payloads;
    Completion completion;
    bench_.starpu.resume();
    const Stopwatch watch;
    submit(list_, bench_.handles.all(), completion);
    completion.wait();
    const double seconds = watch.seconds();
    bench_.starpu.pause();
    list_.payloads = nullptr;
    cuda::expect_no_failure();
    return seconds;
  }

  /// Returns the seconds of a task by the clock of its worker.
  double seconds_of(std::size_t task) const {
    return list_.task[task].record.end - list_.task[task].record.begin;
  }
  double seconds() const {
    double sum = 0;
    for (std::size_t t = 0; t < list_.task.size(); ++t) sum += seconds_of(t);
    return sum;
  }

 private:
  std::span<const Index> spread(Index rows) const {
    return std::span<const Index>(bench_.spread).first(rows);
  }
  std::span<const Index> rows_of(Index target) const {
    return std::span<const Index>(bench_.row).first(bench_.data[target].rows());
  }
  UpdateTask update(const ProbeSize& size, Index target) const {
    UpdateTask task{{{&bench_.context}, &bench_.filled}};
    task.lower = size.form == ProbeForm::lower;
    task.target_rows = rows_of(target);
    task.source_rows =
        size.form == ProbeForm::dense ? task.target_rows.first(size.rows) : spread(size.rows);
    task.source_columns = task.lower ? task.source_rows : task.target_rows.first(size.columns);
    task.left_row = task.lower ? 0 : size.columns;
    return task;
  }

  DeviceBench& bench_;
  std::deque<UpdateTask> update_;
  std::deque<ReduceTask> scatter_;
  TaskList list_;
};

/// Measures tasks of all sizes in rounds, in the given order. A target is not in the caches if the
/// task before has a target of another width. The first round does not count, because CUDA loads
/// each kernel at its first call, which takes up to tens of milliseconds.
std::vector<double> kernel_seconds(DeviceBench& bench, const std::vector<ProbeSize>& sizes,
                                   Index samples) {
  std::vector<std::vector<double>> taken(sizes.size());
  for (Index round = 0; round <= samples; ++round) {
    DeviceUpdates updates(bench);
    for (const ProbeSize& size : sizes) {
      const auto class_of = [](Index width) {
        return std::countr_zero(static_cast<unsigned>(width));
      };
      updates.add(size, bench.target[class_of(size.columns)], bench.source[class_of(size.inner)]);
    }
    updates.run();
    if (round == 0) continue;
    for (std::size_t i = 0; i < sizes.size(); ++i) taken[i].push_back(updates.seconds_of(i));
  }
  std::vector<double> seconds;
  seconds.reserve(sizes.size());
  for (std::vector<double>& of_a_size : taken) seconds.push_back(robust_mean(of_a_size));
  return seconds;
}

constexpr double shortest_seconds = 1e-8;  ///< replaces measured times of zero

/// Tasks of all sizes of one kernel, which give a grid of seconds per operation.
struct GridProbes {
  CostGrid grid;
  std::vector<ProbeSize> sizes{};

  void add(std::array<int, 3> classes, ProbeForm form) {
    const auto [m, n, k] = classes;
    sizes.push_back({class_size(m), class_size(n), class_size(k), form});
  }
  /// Returns the position of a size in the grid. The grid may lack the rows or the inner dimension.
  std::size_t place(const ProbeSize& size) const {
    const auto class_of = [](Index s) { return std::countr_zero(static_cast<unsigned>(s)); };
    const int m = class_of(size.rows);
    const int n = class_of(size.columns);
    const int k = class_of(size.inner);
    if (size.form == ProbeForm::lower) return grid.point({n, k, 0});
    return grid.point({m, n, size.form == ProbeForm::scatter ? 0 : k});
  }
  CostGrid measured(DeviceBench& bench, Index samples) {
    grid.seconds.resize(grid.points());
    const std::vector<double> seconds = kernel_seconds(bench, sizes, samples);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      grid.seconds[place(sizes[i])] =
          std::max(seconds[i], shortest_seconds) / sizes[i].operations();
    }
    return std::move(grid);
  }
};

/// Measures products of all sizes. With ProbeForm::dense, consecutive tasks write the same target;
/// with other forms they do not.
CostGrid gemm_grid(DeviceBench& bench, Index samples, ProbeForm form) {
  GridProbes probes{{{tallest_class + 1, widest_class + 1, widest_class + 1}, {}}};
  for (int m = 0; m <= tallest_class; ++m) {
    for (int k = 0; k <= widest_class; ++k) {
      for (int n = 0; n <= widest_class; ++n) probes.add({m, n, k}, form);
    }
  }
  if (form == ProbeForm::dense) std::ranges::stable_sort(probes.sizes, {}, &ProbeSize::columns);
  return probes.measured(bench, samples);
}

CostGrid syrk_grid(DeviceBench& bench, Index samples) {
  GridProbes probes{{{widest_class + 1, widest_class + 1, 1}, {}}};
  for (int k = 0; k <= widest_class; ++k) {
    for (int n = 0; n <= widest_class; ++n) probes.add({n, n, k}, ProbeForm::lower);
  }
  return probes.measured(bench, samples);
}

CostGrid scatter_grid(DeviceBench& bench, Index samples) {
  GridProbes probes{{{tallest_class + 1, widest_class + 1, 1}, {}}};
  for (int m = 0; m <= tallest_class; ++m) {
    for (int n = 0; n <= widest_class; ++n) probes.add({m, n, n}, ProbeForm::scatter);
  }
  return probes.measured(bench, samples);
}

/// Returns the costs of one link from copies of two sizes. Negative results, which noise causes,
/// become 0.
DeviceTable::Link link_from(double small_bytes, double small, double large_bytes, double large) {
  const double byte = std::max((large - small) / (large_bytes - small_bytes), 0.0);
  return {std::max(small - byte * small_bytes, 0.0), byte};
}

double bytes_of(const DeviceBench& bench, Index data) {
  return static_cast<double>(bench.data[data].bytes());
}

constexpr ProbeSize tiny{8, 8, 8};
constexpr Index on_host = -1;

/// Returns the seconds to copy one of these pieces to the device. Each task reads another piece.
double seconds_there(DeviceBench& bench, const std::vector<Index>& pieces, double task) {
  DeviceUpdates updates(bench);
  for (const Index piece : pieces) updates.add(tiny, bench.target[3], piece);
  return updates.run() / static_cast<double>(pieces.size()) - task;
}

/// Returns the seconds to copy one of these pieces back after tasks on the device have written
/// them.
double seconds_back(DeviceBench& bench, const std::vector<Index>& pieces) {
  DeviceUpdates written(bench);
  for (const Index piece : pieces) written.add(tiny, piece, bench.source[3]);
  written.run();
  DeviceUpdates read(bench);
  for (const Index piece : pieces) read.add(tiny, bench.target[4], piece, on_host);
  return read.run() / static_cast<double>(pieces.size());
}

/// Lets tasks on the host write these pieces, so that the copies on the device become invalid.
void take_back(DeviceBench& bench, const std::vector<Index>& pieces) {
  DeviceUpdates written(bench);
  for (const Index piece : pieces) written.add(tiny, piece, bench.source[4], on_host);
  written.run();
}

struct LinkSeconds {
  double there;
  double back;
};

/// Number of rounds. The minimum of all rounds counts, because the first round allocates memory.
constexpr int copy_rounds = 5;

LinkSeconds link_seconds(DeviceBench& bench, const std::vector<Index>& pieces, double task) {
  LinkSeconds best{1, 1};
  for (int round = 0; round < copy_rounds; ++round) {
    best.there = std::min(best.there, seconds_there(bench, pieces, task));
    best.back = std::min(best.back, seconds_back(bench, pieces));
    take_back(bench, pieces);
  }
  return best;
}

/// Returns whether copies of sources overlap with kernels. Each kernel has a separate target, so
/// none waits for another. Copies overlap if running both together saves at least half of the
/// shorter of the two times.
bool copies_overlap(DeviceBench& bench, const DeviceTable& table) {
  const Index width = class_size(widest_class);
  const ProbeSize size{class_size(tallest_class), width, width, ProbeForm::dense};
  double copies = 1;
  double kernels = 1;
  double both = 1;
  for (int round = 0; round < copy_rounds; ++round) {
    copies = std::min(copies, wide_pieces * seconds_there(bench, bench.wide_source, table.task));
    take_back(bench, bench.wide_source);
    DeviceUpdates updates(bench);
    for (Index i = 0; i < wide_pieces; ++i) {
      updates.add(size, bench.wide_target[i], bench.wide_source[i]);
    }
    both = std::min(both, updates.run());
    kernels = std::min(kernels, updates.seconds() + wide_pieces * table.task);
    take_back(bench, bench.wide_source);
  }
  return both < copies + kernels - 0.5 * std::min(copies, kernels);
}

}  // namespace

DeviceProbes::DeviceProbes(const StarpuInstance& starpu, Index samples)
    : bench_(std::make_unique<DeviceBench>(starpu)), samples_(samples) {}

/// Unregisters the data while the workers run.
DeviceProbes::~DeviceProbes() {
  bench_->starpu.resume();
  bench_->handles = Handles();
  bench_->starpu.pause();
}

DeviceTable DeviceProbes::measure() const {
  const SingleThreadedBlas blas;
  DeviceBench& bench = *bench_;
  DeviceTable table;
  table.gemm = gemm_grid(bench, samples_, ProbeForm::rectangle);
  table.gemm_alone = gemm_grid(bench, samples_, ProbeForm::dense);
  table.scatter = scatter_grid(bench, samples_);
  table.syrk = syrk_grid(bench, samples_);
  DeviceUpdates updates(bench);
  for (Index t = 0; t < short_tasks; ++t) updates.add(tiny, bench.target[3], bench.source[3]);
  table.task = std::max(updates.run() - updates.seconds(), 0.0) / short_tasks;
  const LinkSeconds small = link_seconds(bench, bench.small, table.task);
  const LinkSeconds large = link_seconds(bench, bench.large, table.task);
  const double few = bytes_of(bench, bench.small.front());
  const double many = bytes_of(bench, bench.large.front());
  table.to = link_from(few, small.there, many, large.there);
  table.back = link_from(few, small.back, many, large.back);
  table.overlaps = copies_overlap(bench, table);
  return table;
}

}  // namespace espalier::internal
