// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "ordering/dissection/coarsening.hpp"
#include "ordering/dissection/separator_refinement.hpp"

namespace espalier::internal {

/// Returns the next seed of a pseudorandom sequence.
std::uint64_t next_seed(std::uint64_t seed);

/// Finds small balanced vertex separators. It coarsens the graph to about a hundred vertices, grows
/// separators from some of them, and refines the best one on every finer graph. The result depends
/// only on the arguments. The object has workspace for one caller at a time.
class SeparatorFinder {
 public:
  SeparatorFinder(const SeparationCost& cost, const std::atomic<bool>& cancelled,
                  ParallelLoop loop = serial_loop)
      : cost_(cost), cancelled_(cancelled), loop_(std::move(loop)), refinement_(cost) {}

  /// Returns a separation. A side may be empty if no separator divides the graph, for example a
  /// complete graph. After `cancelled` is set, the call returns early with an undefined result.
  Separation find(const WeightedGraph& graph, std::uint64_t seed, int attempts = 3);

 private:
  std::vector<CoarseGraph> hierarchy(const WeightedGraph& graph) const;
  Separation best_grown(const WeightedGraph& graph, std::uint64_t seed, int attempts);

  SeparationCost cost_;
  const std::atomic<bool>& cancelled_;
  ParallelLoop loop_;
  SeparatorRefinement refinement_;
};

}  // namespace espalier::internal
