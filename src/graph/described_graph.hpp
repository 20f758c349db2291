// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/access.hpp"
#include "base/shape.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Architectures of devices that a described graph may have times for.
inline constexpr std::array<std::string_view, 2> device_architectures{"cuda", "coprocessor"};

/// A task without its matrix: all that a scheduler may know about it.
struct DescribedTask {
  Shape shape;  ///< without pointers and without times on devices
  /// Predicted seconds on a device of each architecture; 0: unknown, or no device runs the task.
  std::array<double, device_architectures.size()> device_seconds{};
  Index owner = -1;  ///< worker that owns the block in a 2D block-cyclic map; -1: unknown
  Count access_begin = 0;
  Count access_end = 0;
};

/// A piece of data that tasks access as a whole.
struct DescribedData {
  Count bytes = 0;
  Index row = -1;     ///< block row of its first entry
  Index column = -1;  ///< block column
};

/// The origin of a described graph.
struct GraphOrigin {
  /// Source of the predicted times on one architecture, as in Report::models.
  struct Times {
    std::string architecture;  ///< "cpu", or one of device_architectures
    std::string source;
    std::string file;
    std::string date;
  };
  std::string program;  ///< name and version of the program that made the graph
  std::string matrix;
  Index n = 0;
  Count nnz_lower = 0;
  Count nnz_l = 0;
  double flops = 0;
  std::string ordering;
  std::string granularity;
  Index workers = 1;                 ///< workers that the plan assumes
  std::vector<std::string> options;  ///< words of the command line
  std::vector<Times> times;
};

/// The tasks of a factorization as plain data, for files and simulations. The order of tasks is a
/// valid sequential order. Dependencies follow from the accesses, as in StarPU.
struct DescribedGraph {
  GraphOrigin origin;
  std::vector<DescribedData> data;
  std::vector<DescribedTask> task;
  std::vector<Access> access;
  /// Tasks that wait for task t: successor[successor_begin[t] .. successor_begin[t+1]), ascending.
  std::vector<Count> successor_begin{0};
  std::vector<Index> successor;

  Index size() const { return static_cast<Index>(task.size()); }
  std::span<const Access> accesses(const DescribedTask& t) const {
    return {access.data() + t.access_begin, access.data() + t.access_end};
  }
  std::span<const Index> successors(Index t) const {
    return {successor.data() + successor_begin[t], successor.data() + successor_begin[t + 1]};
  }
};

/// Computes the successors from the accesses. A task waits for the last tasks before it that
/// accessed one of its pieces of data in another way: reads wait for writes, writes wait for reads,
/// and `add` waits for both, but not for another `add`. Cost O(edges log edges).
void connect(DescribedGraph& graph);

/// Returns the seconds of the longest path if task t takes seconds[t]. Cost O(tasks + edges).
double longest_path(const DescribedGraph& graph, std::span<const double> seconds);

/// Returns the predicted seconds of each task on a CPU core.
std::vector<double> cpu_seconds(const DescribedGraph& graph);

/// Returns the maximum number of tasks of a level. The level of a task is the maximum number of
/// edges of a path to it, so no path connects two tasks of a level. Cost O(tasks + edges).
Index widest_level(const DescribedGraph& graph);

}  // namespace espalier::internal
