// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/task_kind.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Measured time of one kernel operation, in seconds, for dimensions that are powers of two (1, 2,
/// 4, ...). Between two powers the time is linear in the dimension; beyond the last one it is
/// constant. Linear interpolation is fast because it needs no logarithm. It must be fast because a
/// plan makes some hundred thousand lookups.
struct CostGrid {
  /// Number of sizes along each dimension; 1 for a dimension that the kernel does not have.
  std::array<int, 3> classes{1, 1, 1};
  std::vector<double> seconds;  ///< positive; the last dimension varies fastest

  std::size_t points() const;
  std::size_t point(std::array<int, 3> c) const {
    return (static_cast<std::size_t>(c[0]) * classes[1] + c[1]) * classes[2] + c[2];
  }
  /// Returns the seconds per operation. Dimensions are at least 1. Cost O(1).
  double at(double x, double y = 1, double z = 1) const;
  /// Returns whether there is one value per point, all positive and finite.
  bool sound() const;
  /// Returns whether the grid is sound or was not measured.
  bool may_serve() const { return seconds.empty() || sound(); }
};

/// Ratio of the measured time of tasks to the sum of their kernel times. The sum leaves out the
/// effects of caches and the costs of index maps, calls, and filling from A.
///
/// Tasks are sorted into classes by their kind and by three quantities:
/// - flops, in powers of two;
/// - the rate of their kernels (flops per second of kernel time), in powers of the square root of
///   two. The rate separates many small kernels from few large ones. Subtrees with the same inner
///   dimension can differ in this way.
/// - entries of L, in powers of four. A small L stays in caches from one factorization to the next,
///   so that all its tasks may take only two thirds of the time.
///
/// Between classes, the logarithm of the ratio is linear in the logarithms of all three quantities.
/// A sample counts for the classes around it, weighted by their nearness. When a ratio is looked
/// up, classes with few samples count less. If the classes around a task have too few samples
/// together, the nearest classes with samples make up for the missing weight.
///
/// If all samples come from an L that stays in caches, a larger L has only a part of the saving:
/// its logarithm shrinks in proportion to the part of L that these caches would hold.
class TaskHistory {
 public:
  /// Properties of a task that determine its class.
  struct Features {
    TaskKind kind;
    double flops;
    double kernels;  ///< sum of its kernel times, in seconds
    double entries;  ///< number of entries of L
  };

  /// A class with samples. `flops` is the logarithm to base 2 of the flops. `rate` is twice the
  /// logarithm to base 2 of the kernel rate in Mflop/s. `size` is the number of the class by
  /// entries of L. `mean` is the mean natural logarithm of the ratios of measured time to kernel
  /// time.
  struct Bucket {
    TaskKind kind;
    int flops;
    int rate;
    int size;
    double samples;
    double mean;
  };

  /// Number of entries of L that all last-level caches hold together; 0: unknown.
  double cached_entries = 0;

  /// Adds a measured task. `ratio` is its time divided by its kernel time, or the median ratio of
  /// `runs` runs. Old samples fade. In a class with enough samples, outliers are clamped.
  void add(const Features& task, double ratio, double runs = 1);
  /// Returns the factor on the kernel time, which is 1 if no class near the task has samples. Cost
  /// O(1).
  double factor(const Features& task) const;

  bool empty() const { return cell_.empty(); }
  std::vector<Bucket> buckets() const;
  /// Adds a bucket from buckets(). Returns false if its values are not valid.
  bool restore(const Bucket& bucket);
  /// Copies the classes of `other` that this history does not know, or for which this history has a
  /// larger mean. Of two measurements of the same tasks, the faster one was disturbed less.
  void take_faster(const TaskHistory& other);
  /// Returns the history for kernels whose rate is `factor` times as high. It is exact if the
  /// factor is a power of the square root of two.
  TaskHistory at_other_rates(double factor) const;

 private:
  static constexpr int flops_classes = 50;
  static constexpr int rate_classes = 48;
  static constexpr int size_classes = 5;
  struct Cell {
    double samples = 0;
    double mean = 0;
  };
  /// A class near a task. The nearnesses of the eight classes around a task add up to 1.
  struct Neighbor {
    std::size_t cell;
    double nearness;
  };
  static constexpr std::size_t cells_of_kind =
      std::size_t{flops_classes} * rate_classes * size_classes;
  /// Returns the part of the measured savings that a factor with this number of entries has.
  double share_of_savings(double entries) const;
  static std::size_t position(TaskKind kind, int flops, int rate, int size);
  /// Returns the bucket of a cell, without its samples.
  static Bucket class_of(std::size_t cell);
  static std::array<Neighbor, 8> neighbors(const Features& task);
  Cell& met(std::size_t cell);
  /// Returns the mean of the nearest classes with samples: nearest by flops and rate, then by size.
  /// Returns 0 if no class within `farthest` has samples.
  double nearest_mean(std::size_t cell) const;
  /// Returns the combined samples of all classes at most `distance` from `at` by flops and rate,
  /// and exactly `other_size` from it by size.
  Cell around(const Bucket& at, int distance, int other_size) const;

  std::vector<Cell> cell_;                ///< empty before the first sample
  std::array<bool, task_kinds> kinds_{};  ///< kinds with samples
  int largest_size_ = 0;                  ///< largest class by entries with samples
};

/// Limits of the sizes for which `DenseKernels::Source::automatic` uses Espalier's kernels instead
/// of the BLAS.
struct SwitchPoints {
  static constexpr Index never = std::numeric_limits<Index>::max();
  static constexpr std::array<Index, 4> triangles{64, 128, 256, 512};
  static constexpr std::array<Index, 4> updates{64, 128, 256, never};

  /// Maximum order, one of `triangles`, for which Espalier's kernels do POTRF and TRSM on a whole
  /// triangle. Larger triangles are halved, with products by the BLAS.
  Index whole_triangle = 256;
  /// Minimum inner dimension, one of `updates`, for which an update is a GEMM of the BLAS and a
  /// scatter.
  Index blas_update = never;

  bool operator==(const SwitchPoints&) const = default;
  bool sound() const {
    return std::ranges::find(triangles, whole_triangle) != triangles.end() &&
           std::ranges::find(updates, blas_update) != updates.end();
  }
};

/// Measurements of one machine with all CPU workers busy. All predicted times come from them.
struct CostTable {
  CostGrid potrf;  ///< by order
  CostGrid trsm;   ///< by rows, order
  /// The update of a lower triangle that is not in the caches, by order and inner dimension.
  CostGrid syrk;
  /// The update of a rectangle, by rows, columns and inner dimension: GEMM and SCATTER together.
  CostGrid gemm;
  /// `syrk` and `gemm` of an update with the same target as the update before. The target is then
  /// mostly in a cache.
  CostGrid syrk_again;
  CostGrid gemm_again;
  /// GEMM and SCATTER measured separately, as in HALO (equations 5 and 6). GEMM is the product into
  /// a dense target in a cache, F(m, n, k). SCATTER adds a dense block to an indexed target outside
  /// the cache, B(b_x, b_y), by rows and columns of the block, in seconds per entry. An entry moves
  /// 24 bytes: two reads and a write. A grid without seconds was not measured: see
  /// KernelCost::gemm() and scatter().
  CostGrid gemm_alone{{1, 1, 1}, {}};
  CostGrid scatter{{1, 1, 1}, {}};
  double fill = 0;  ///< seconds to initialise an entry of L
  double take = 0;  ///< seconds to copy an entry of A to L, if it follows the last copied entry
  double line = 0;  ///< additional seconds if the entry is in another cache line than the last one
  double read = 0;  ///< seconds for a solve to stream an entry of L from memory
  double task = 0;  ///< overhead of the runtime system per task, in seconds
  double search = 0;           ///< graph_search_seconds(), which compares analyses; 0: unknown
  SwitchPoints switch_points;  ///< switch points used in all measurements
  TaskHistory history;

  bool sound() const {
    return switch_points.sound() && potrf.sound() && trsm.sound() && syrk.sound() && gemm.sound() &&
           syrk_again.sound() && gemm_again.sound() && gemm_alone.may_serve() &&
           scatter.may_serve() && fill > 0 && read > 0 && take > 0 && line > 0 && task > 0 &&
           search >= 0 && history.cached_entries >= 0;
  }
};

/// Costs of a device that runs updates for the host, and of the link to it. The times include the
/// messages, answers and pauses of the driver on the host.
struct DeviceTable {
  /// Cost of copies to the memory of the device, or from it.
  struct Link {
    double latency = 0;  ///< seconds per copy
    double byte = 0;     ///< additional seconds per byte

    /// Returns the time of `copies` copies, one after the other, with `bytes` bytes in total.
    double seconds(double bytes, double copies = 1) const {
      return copies * latency + bytes * byte;
    }
    bool sound() const { return latency >= 0 && byte >= 0; }
  };
  /// The kernels of CostTable on one worker of the device. A grid without seconds was not measured;
  /// the device then counts as a core of the host.
  CostGrid syrk{{1, 1, 1}, {}};
  CostGrid gemm{{1, 1, 1}, {}};
  CostGrid potrf{{1, 1, 1}, {}};
  CostGrid trsm{{1, 1, 1}, {}};
  CostGrid gemm_alone{{1, 1, 1}, {}};
  CostGrid scatter{{1, 1, 1}, {}};
  double fill = 0;  ///< seconds to initialise an entry; 0: as on the host
  double task = 0;  ///< overhead of a device worker per task, without kernels, in seconds
  Link to;
  Link back;
  bool overlaps = false;  ///< whether copies run concurrently with kernels
  /// Whether the device also runs A tasks. All devices except CUDA devices do. Files do not store
  /// this flag.
  bool assembles = true;
  /// Ratio of the measured times of tasks on the device to DeviceSeconds::kernels(), if measured.
  TaskHistory history;

  bool measured() const { return !gemm.seconds.empty(); }
  bool sound() const {
    return syrk.sound() && gemm.sound() && potrf.may_serve() && trsm.may_serve() &&
           gemm_alone.may_serve() && scatter.may_serve() && fill >= 0 && task >= 0 && to.sound() &&
           back.sound();
  }
};

}  // namespace espalier::internal
