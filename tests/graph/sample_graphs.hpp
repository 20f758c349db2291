// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "graph/edges.hpp"
#include "graph/task_graph.hpp"
#include "support/problems.hpp"

namespace espalier::internal::support {

inline constexpr double rounding = 1e-5;  ///< relative error of priorities, which are floats

/// Returns a cut whose subtrees have at most this share of all predicted time.
inline SubtreeCut cut_at_share(const PanelStructure& structure, double share) {
  const std::vector<double> seconds = panel_seconds(structure, KernelCost{});
  return cut_subtrees(structure, seconds,
                      share * std::accumulate(seconds.begin(), seconds.end(), 0.0));
}

inline TaskGraph graph_of(const PanelStructure& structure, double share, Granularity granularity,
                          Fill fill = Fill::by_first_writer, const OffloadPlan* offload = nullptr) {
  const SubtreeCut cut = cut_at_share(structure, share);
  const KernelCost cost;
  TaskGraph graph = build_factor_graph(structure, cut, tile_panels(structure, cut, granularity, 12),
                                       cost, block_seconds(structure, cost), fill, offload);
  graph.levels =
      partition_levels(structure, cut, panel_seconds(structure, KernelCost{}), 2, {2, 1});
  return graph;
}

/// Returns a random graph: each pair (i, j), i < j, is an edge with this probability.
inline TaskGraph random_graph(Index tasks, double probability, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  TaskGraph graph;
  EdgeList edges(0);
  for (Index t = 0; t < tasks; ++t) {
    Task task{.kind = TaskKind::update};
    task.seconds = uniform(generator);
    graph.task.push_back(task);
    for (Index from = 0; from < t; ++from) {
      if (uniform(generator) < probability) edges.add(from, t);
    }
  }
  edges.store(graph);
  set_priorities(graph);
  return graph;
}

/// Returns a random division of the updates above the cut between the host and two devices.
inline OffloadPlan random_offload(const PanelStructure& structure, const SubtreeCut& cut,
                                  std::mt19937_64& generator) {
  OffloadPlan plan;
  for (Index p = 0; p < structure.panels(); ++p) {
    const bool above = cut.group_of[p] < 0;
    const Count blocks = structure.block_begin[p + 1] - structure.block_begin[p];
    const auto kept = above ? static_cast<Count>(generator() % (blocks + 1)) : blocks;
    plan.first.push_back(structure.block_begin[p] + std::max<Count>(kept, 1));
    plan.device.push_back(above ? static_cast<Index>(generator() % 3) - 1 : -1);
  }
  return plan;
}

inline OffloadPlan random_offload(const PanelStructure& structure, double share,
                                  std::mt19937_64& generator) {
  return random_offload(structure, cut_at_share(structure, share), generator);
}

/// From no subtrees to a single one with all panels.
inline constexpr double shares[] = {0.0, 0.05, 0.25, 2.0};
inline constexpr Granularity granularities[] = {Granularity::panel, Granularity::tile,
                                                Granularity::block};

/// The graph of a sample structure.
struct SampleGraph {
  std::string name;  ///< the sample, its cut and its granularity
  const PanelStructure* structure;
  TaskGraph graph;
};

/// Returns the graphs of all sample structures, cuts and granularities. They are built once.
inline const std::vector<SampleGraph>& sample_graphs() {
  static const std::vector<SampleGraph> graphs = [] {
    std::vector<SampleGraph> made;
    for (const NamedStructure& sample : sample_structures()) {
      for (const double share : shares) {
        for (const Granularity granularity : granularities) {
          made.push_back({sample.name + ", cut at " + std::to_string(share) + ", granularity " +
                              std::to_string(static_cast<int>(granularity)),
                          &sample.symbolic, graph_of(sample.symbolic, share, granularity)});
        }
      }
    }
    return made;
  }();
  return graphs;
}

/// Calls visit(structure, graph) for all sample_graphs() until a test fails.
template <class Visit>
void for_each_graph(Visit visit) {
  for (const SampleGraph& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    visit(*sample.structure, sample.graph);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace espalier::internal::support
