// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "ordering/separation.hpp"
#include "ordering/weighted_graph.hpp"

namespace espalier {

/// A part of a graph, whose vertices take consecutive places in the order of elimination.
struct DissectionPart {
  WeightedGraph graph;
  std::vector<Index> vertex;  ///< numbers in the whole graph
  Index first = 0;            ///< place of the first one
  std::uint64_t seed = 1;     ///< depends on the way down to the part alone
};

struct SplitPart {
  std::vector<DissectionPart> sides;
  std::vector<Index> separator;
  Index separator_first = 0;  ///< after both sides
};

/// Cuts a part in two. Cost O(n + edges).
SplitPart split_part(DissectionPart part, const Separation& separation);

/// The parts that wait for a thread, the largest first.
class DissectionQueue {
 public:
  void add(DissectionPart part);
  /// Waits while parts that others work on may leave more; nothing once all are done, or after
  /// stop().
  std::optional<DissectionPart> take();
  /// Says that a part taken, with all that it left but did not add, is ordered.
  void finish_one();
  void stop();
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DissectionPart> waiting_;  ///< a heap
  Index unfinished_ = 0;                 ///< waiting ones and those taken
  std::atomic<bool> stopped_ = false;
};

}  // namespace espalier
