// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/sample_graphs.hpp"
#include "mapping/local_structure.hpp"
#include "support/divisions.hpp"

namespace espalier::internal::support {

/// A structure as all ranks of a map see it.
struct RankTilings {
  RankMap map;
  std::vector<LocalStructure> local;
  std::vector<Tiling> tiling;  ///< all panels of each rank

  RankTilings(const PanelStructure& whole, Index ranks, Mapping mapping, Granularity granularity)
      : map(map_to_ranks(whole, panel_seconds(whole, KernelCost{}), ranks, mapping)) {
    for (Index rank = 0; rank < ranks; ++rank) {
      local.push_back(local_structure(whole, map, rank));
      SubtreeCut nothing;
      nothing.group_of.assign(local.back().panels(), -1);
      tiling.push_back(tile_panels(local.back(), nothing, granularity, 12));
    }
  }
  Index ranks() const { return map.ranks; }
};

/// One rank, a few, a prime number, and more ranks than small structures have panels.
inline constexpr Index rank_counts[] = {1, 2, 3, 4, 7};

/// A sample structure as all ranks see it.
struct SampleRankTilings {
  std::string name;  ///< the sample, and its division
  const PanelStructure* whole;
  RankTilings ranks;
};

/// A way to divide a structure among ranks, with the work of each rank.
struct Division {
  std::string name;
  Index ranks;
  Mapping mapping;
  Granularity granularity;
};

/// Returns all divisions for these numbers of ranks.
inline std::vector<Division> divisions(std::span<const Index> counts) {
  std::vector<Division> all;
  for (const Index ranks : counts) {
    for (const Mapping mapping : mappings) {
      for (const Granularity granularity : granularities) {
        all.push_back({std::to_string(ranks) + " ranks, mapping " +
                           std::to_string(static_cast<int>(mapping)) + ", granularity " +
                           std::to_string(static_cast<int>(granularity)),
                       ranks, mapping, granularity});
      }
    }
  }
  return all;
}

/// Returns all sample structures, divided among rank_counts ranks. They are built once.
inline const std::vector<SampleRankTilings>& sample_rank_tilings() {
  static const std::vector<SampleRankTilings> tilings = [] {
    std::vector<SampleRankTilings> made;
    for (const NamedStructure& sample : sample_structures()) {
      for (const auto& [name, ranks, mapping, granularity] : divisions(rank_counts)) {
        made.push_back({sample.name + ", " + name, &sample.symbolic,
                        RankTilings(sample.symbolic, ranks, mapping, granularity)});
      }
    }
    return made;
  }();
  return tilings;
}

/// Calls visit(structure, ranks) for all sample_rank_tilings() until a test fails.
template <class Visit>
void for_each_rank_tilings(Visit visit) {
  for (const SampleRankTilings& sample : sample_rank_tilings()) {
    SCOPED_TRACE(sample.name);
    visit(*sample.whole, sample.ranks);
    if (testing::Test::HasFailure()) return;
  }
}

/// The parts of a structure and the graphs of all ranks.
struct RankGraphs {
  RankMap map;
  std::vector<LocalStructure> local;
  std::vector<TaskGraph> graph;
  std::vector<OffloadPlan> plan;  ///< of each rank, if devices take part
};

/// Function that plans the work of the devices of a rank.
using PlanOffload =
    std::function<OffloadPlan(const LocalStructure&, const SubtreeCut&, OwnUpdates)>;

/// Returns a function that makes random plans.
inline PlanOffload random_offloads(std::mt19937_64& generator) {
  return [&generator](const LocalStructure& local, const SubtreeCut& cut, OwnUpdates own) {
    OffloadPlan plan = random_offload(local, cut, generator);
    plan.own = std::move(own);
    return plan;
  };
}

/// Returns the graphs of all ranks. No subtree of a domain has more than `share` of all predicted
/// time. The default grid of a fan-both map has at least as many rows as columns, so that there are
/// contributions to shared panels on any number of ranks.
inline RankGraphs rank_graphs(const PanelStructure& whole, Index ranks, Mapping mapping,
                              double share, Granularity granularity,
                              Fill fill = Fill::by_first_writer, const PlanOffload& offload = {},
                              Alone alone = Alone::subtrees, const BlockGrid* cells = nullptr) {
  const KernelCost cost;
  const BlockGrid square = most_square_grid(ranks);
  const BlockGrid tall{square.columns, square.rows};
  if (mapping == Mapping::fan_both && cells == nullptr) cells = &tall;
  const std::vector<double> seconds = panel_seconds(whole, cost);
  const double limit = share * std::accumulate(seconds.begin(), seconds.end(), 0.0);
  RankGraphs made;
  made.map = map_to_ranks(whole, seconds, ranks, mapping, cells, alone);
  made.local.reserve(ranks);
  made.plan.reserve(ranks);
  for (Index r = 0; r < ranks; ++r) {
    const LocalStructure& local = made.local.emplace_back(local_structure(whole, made.map, r));
    const std::vector<double> block = block_seconds(local, cost);
    SubtreeCut cut = cut_domain(local, panel_seconds(local, block), limit);
    Tiling tiling = tile_panels(local, cut, granularity, 12);
    if (offload) made.plan.push_back(offload(local, cut, own_updates(local, local, tiling)));
    made.graph.push_back(build_factor_graph(local, local, std::move(cut), std::move(tiling), cost,
                                            block, fill, offload ? &made.plan.back() : nullptr));
  }
  return made;
}

/// The graphs of all ranks for a sample structure.
struct SampleRankGraphs {
  std::string name;  ///< the sample, and its division
  const PanelStructure* whole;
  RankGraphs graphs;
};

/// Returns the graphs of all sample structures, divided among up to five ranks. They are built
/// once.
inline const std::vector<SampleRankGraphs>& sample_rank_graphs() {
  static const std::vector<SampleRankGraphs> graphs = [] {
    std::vector<SampleRankGraphs> made;
    const Index counts[] = {1, 2, 3, 4, 5};
    for (const NamedStructure& sample : sample_structures()) {
      for (const auto& [name, ranks, mapping, granularity] : divisions(counts)) {
        const double share = granularity == Granularity::block ? 0.0 : 0.1;
        made.push_back({sample.name + ", " + name, &sample.symbolic,
                        rank_graphs(sample.symbolic, ranks, mapping, share, granularity)});
      }
    }
    return made;
  }();
  return graphs;
}

/// Calls visit(whole, graphs) for all sample_rank_graphs() until a test fails.
template <class Visit>
void for_each_rank_graphs(Visit visit) {
  for (const SampleRankGraphs& sample : sample_rank_graphs()) {
    SCOPED_TRACE(sample.name);
    visit(*sample.whole, sample.graphs);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace espalier::internal::support
