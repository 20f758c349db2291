// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/task_kind.hpp"

namespace espalier {

/// How much longer tasks took than the costs of their kernels add up to, remembered by kind and, in
/// classes of powers of two, by flops and by inner dimension: what a sum of kernels leaves out is
/// caches, index maps, calls, and filling from A. Between classes the logarithm of the ratio is
/// linear in the logarithms of both; classes without samples count as little as they know.
class TaskHistory {
 public:
  /// A class that has been met: the kind and the logarithms to base 2 of its flops and of its inner
  /// dimension, the samples it stands for, and the mean logarithm of measured over predicted time.
  struct Bucket {
    TaskKind kind;
    int flops;
    int inner;
    double samples;
    double mean;
  };

  /// Adds a measured task: `ratio` is its time over the sum of its kernels, once or the median of
  /// some runs. Old samples fade; one that is far off what its class has seen counts only so far.
  void add(TaskKind kind, double flops, double inner, double ratio, double runs = 1);
  /// The factor to put to the sum of the kernels; 1 where nothing is known. Cost O(1).
  double factor(TaskKind kind, double flops, double inner) const;

  bool empty() const { return cell_.empty(); }
  std::vector<Bucket> buckets() const;
  /// Takes a bucket as buckets() gave it; false where it cannot be one.
  bool restore(const Bucket& bucket);

 private:
  static constexpr int flops_classes = 50;
  static constexpr int inner_classes = 12;
  struct Cell {
    double samples = 0;
    double mean = 0;
  };
  static std::size_t position(TaskKind kind, int flops, int inner);
  Cell& cell(TaskKind kind, int flops, int inner);

  std::vector<Cell> cell_;  ///< empty before the first sample
};

}  // namespace espalier
