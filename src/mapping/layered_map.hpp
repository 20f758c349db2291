// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "mapping/rank_map.hpp"

namespace espalier::internal {

/// Layers of consecutive ranks.
struct Layers {
  Index count = 1;
  RankGrid grid;  ///< grid of the first layer; the other layers have equal ones
};

/// Returns the map of a structure to layers. The layers share the top of the forest, which is
/// spread over the most square grid of their ranks. The subtrees below the top are divided among
/// two halves of the layers, and each half is divided in the same way. In one layer, subtrees with
/// at most a limit of work go to the rank of the layer with the least work. With Alone::blocks none
/// does. The rest is spread over the grid of the layer. Cost O(panels log panels) per division.
///
/// In the paper of Sao, Li and Vuduc, one layer does all the work on a top, and sums travel along a
/// binary tree of layers. Here all layers do this work, and each rank sends its sums to the owners
/// directly. See docs/measurements/ranks.md.
RankMap layered_map(const PanelStructure& structure, std::span<const Load> load,
                    const Layers& layers, Alone alone);

/// Returns the map to the largest number of layers, up to a limit, whose sums for other layers have
/// at most a given share of the entries of L. The number divides the number of ranks, and each
/// layer has the most square grid of its ranks. Cost O(layers) maps.
RankMap automatic_layers(const PanelStructure& structure, std::span<const Load> load, Index ranks,
                         ComputationMap computes, Alone alone);

}  // namespace espalier::internal
