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

/// What one operation of a kernel costs, in seconds, measured where every dimension is a power of
/// two: 1, 2, 4, ... Between two of them the cost is linear in the dimension; beyond the last one
/// it stays. (Linear within a factor of two rather than in logarithms: a lookup takes no logarithm,
/// and a plan makes some hundred thousand.)
struct CostGrid {
  /// Number of sizes along each dimension; 1 for a dimension that the kernel does not have.
  std::array<int, 3> classes{1, 1, 1};
  std::vector<double> seconds;  ///< positive; the last dimension runs fastest

  std::size_t points() const;
  std::size_t point(std::array<int, 3> c) const {
    return (static_cast<std::size_t>(c[0]) * classes[1] + c[1]) * classes[2] + c[2];
  }
  /// Seconds an operation for dimensions of at least 1. Cost O(1).
  double at(double x, double y = 1, double z = 1) const;
  /// True where there are as many values as points, all positive and finite.
  bool sound() const;
  /// True where it was not measured, too.
  bool may_serve() const { return seconds.empty() || sound(); }
};

/// How much longer tasks took than the costs of their kernels add up to, remembered by kind, in
/// classes of powers of two by flops, of half powers of two by the rate of the kernels, flops over
/// the sum of their costs, and of powers of four by the entries of L: what a sum of kernels leaves
/// out is caches, index maps, calls, and filling from A. The rate tells many small kernels from few
/// large ones, which subtrees of the same inner dimension can have; what a small L has stays in
/// caches from one factorization to the next, so that all of its tasks may take two thirds of the
/// time. Between classes the logarithm of the ratio is linear in the logarithms of all three, and a
/// sample counts for the classes around it as much as it is near them; classes without samples
/// count as little as they know, and where all around a task are such, the nearest that know
/// something stand in for them.
class TaskHistory {
 public:
  /// What a task is known by.
  struct Features {
    TaskKind kind;
    double flops;
    double kernels;  ///< the seconds that its kernels add up to
    double entries;  ///< of L, which it is part of
  };

  /// A class that has been met: the kind, the logarithm to base 2 of its flops and twice that of
  /// the Mflop a second of its kernels, the number of its class of entries, the samples it stands
  /// for, and the mean logarithm of measured over predicted time.
  struct Bucket {
    TaskKind kind;
    int flops;
    int rate;
    int size;
    double samples;
    double mean;
  };

  /// Adds a measured task: `ratio` is its time over that of its kernels, once or the median of some
  /// runs. Old samples fade; one that is far off what its class has seen counts only so far.
  void add(const Features& task, double ratio, double runs = 1);
  /// The factor to put to the seconds that the kernels add up to; 1 where nothing near is known.
  /// Cost O(1).
  double factor(const Features& task) const;

  bool empty() const { return cell_.empty(); }
  std::vector<Bucket> buckets() const;
  /// Takes a bucket as buckets() gave it; false where it cannot be one.
  bool restore(const Bucket& bucket);
  /// Takes what another one knows of classes that this one does not know, or knows to be slower:
  /// of two measurements of the same tasks, the one that others disturbed less.
  void take_faster(const TaskHistory& other);
  /// What is known of tasks where the same kernels have so many times the rate. Exact where that is
  /// a power of the square root of two.
  TaskHistory at_other_rates(double factor) const;

 private:
  static constexpr int flops_classes = 50;
  static constexpr int rate_classes = 48;
  static constexpr int size_classes = 5;
  struct Cell {
    double samples = 0;
    double mean = 0;
  };
  /// A class near a task, and how near: the nearnesses of the eight around it add up to 1.
  struct Neighbor {
    std::size_t cell;
    double nearness;
  };
  static constexpr std::size_t cells_of_kind =
      std::size_t{flops_classes} * rate_classes * size_classes;
  static std::size_t position(TaskKind kind, int flops, int rate, int size);
  /// The bucket of a cell, without what it knows.
  static Bucket class_of(std::size_t cell);
  static std::array<Neighbor, 8> neighbors(const Features& task);
  Cell& met(std::size_t cell);
  /// The mean of the nearest classes that know something: by flops and rate, and among those by
  /// size; 0 where none of those within `farthest` does.
  double nearest_mean(std::size_t cell) const;
  /// All classes up to so many from that one by flops and rate, and just so many by size, together.
  Cell around(const Bucket& at, int distance, int other_size) const;

  std::vector<Cell> cell_;                ///< empty before the first sample
  std::array<bool, task_kinds> kinds_{};  ///< those with samples
};

/// The sizes from which on `DenseKernels::Source::automatic` leaves work to the BLAS.
struct SwitchPoints {
  static constexpr Index never = std::numeric_limits<Index>::max();
  static constexpr std::array<Index, 4> triangles{64, 128, 256, 512};
  static constexpr std::array<Index, 4> updates{64, 128, 256, never};

  /// Triangles of POTRF and TRSM up to this order, one of `triangles`, are done whole by own
  /// kernels; larger ones are halved, with products by the BLAS.
  Index whole_triangle = 256;
  /// Updates of this inner dimension or a larger one, of `updates`, are GEMM of the BLAS and a
  /// scatter.
  Index blas_update = never;

  bool operator==(const SwitchPoints&) const = default;
  bool sound() const {
    return std::ranges::find(triangles, whole_triangle) != triangles.end() &&
           std::ranges::find(updates, blas_update) != updates.end();
  }
};

/// What was measured on one machine, with all its CPU workers busy: the one source of every
/// predicted time.
struct CostTable {
  CostGrid potrf;  ///< by order
  CostGrid trsm;   ///< by rows, order
  /// The update of a lower triangle in memory that another task wrote, by order and inner
  /// dimension.
  CostGrid syrk;
  /// The update of a rectangle, by rows, columns and inner dimension: GEMM and SCATTER in one.
  CostGrid gemm;
  /// Updates whose target is that of the update before: most of it is in a cache then.
  CostGrid syrk_again;
  CostGrid gemm_again;
  /// The two apart, as HALO has them (equations 5 and 6): the product into a dense target that is
  /// in a cache, F(m, n, k), and adding a dense block of so many rows and columns to an indexed
  /// target that is not, B(b_x, b_y), in seconds for an entry, which are 24 bytes: two reads and a
  /// write. A grid has no points where it was not measured: see KernelCost::gemm() and scatter().
  CostGrid gemm_alone{{1, 1, 1}, {}};
  CostGrid scatter{{1, 1, 1}, {}};
  double fill = 0;  ///< seconds for an entry of L that is initialised
  double take = 0;  ///< seconds for an entry of A on its way to L, where neighbours come in a row
  double line = 0;  ///< more seconds for one from another cache line of A than those before
  double read = 0;  ///< seconds for an entry of L that a solve streams from memory
  double task = 0;  ///< seconds that the runtime system takes for a task
  SwitchPoints switch_points;  ///< those with which all of this was measured
  TaskHistory history;

  bool sound() const {
    return switch_points.sound() && potrf.sound() && trsm.sound() && syrk.sound() && gemm.sound() &&
           syrk_again.sound() && gemm_again.sound() && gemm_alone.may_serve() &&
           scatter.may_serve() && fill > 0 && read > 0 && take > 0 && line > 0 && task > 0;
  }
};

/// What a device costs that takes updates from the host, and the way there, as seen by the host's
/// driver: messages, their answers and its pauses are in it.
struct DeviceTable {
  /// Seconds to a device's memory or back.
  struct Way {
    double latency = 0;  ///< seconds for any copy
    double byte = 0;     ///< more seconds for each byte

    /// So many copies of so many bytes together, one after the other.
    double seconds(double bytes, double copies = 1) const {
      return copies * latency + bytes * byte;
    }
    bool sound() const { return latency >= 0 && byte >= 0; }
  };
  /// The kernels of CostTable on one worker of the device. A grid has no points where it was not
  /// measured: the device then counts as a core of the host.
  CostGrid syrk{{1, 1, 1}, {}};
  CostGrid gemm{{1, 1, 1}, {}};
  CostGrid potrf{{1, 1, 1}, {}};
  CostGrid trsm{{1, 1, 1}, {}};
  CostGrid gemm_alone{{1, 1, 1}, {}};
  CostGrid scatter{{1, 1, 1}, {}};
  double fill = 0;  ///< seconds for an entry that is initialised; 0: what the host takes
  double task = 0;  ///< seconds of a device worker for a task beside its kernels
  Way to;
  Way back;
  bool overlaps = false;  ///< copies run beside kernels
  /// They run A, too, as all but CUDA devices do. Files do not say so.
  bool assembles = true;
  /// How much longer tasks took there than DeviceSeconds::kernels() says, where that was measured.
  TaskHistory history;

  bool measured() const { return !gemm.seconds.empty(); }
  bool sound() const {
    return syrk.sound() && gemm.sound() && potrf.may_serve() && trsm.may_serve() &&
           gemm_alone.may_serve() && scatter.may_serve() && fill >= 0 && task >= 0 && to.sound() &&
           back.sound();
  }
};

}  // namespace espalier::internal
