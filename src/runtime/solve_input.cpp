// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/solve_input.hpp"

#include <algorithm>

namespace espalier::internal {

void SolveInput::offer_to_devices(Shape& shape, bool has_triangle) const {
  if (has_triangle) shape.square = shape.k;
  if (device == nullptr) return;
  shape.device_seconds = device->of_solve(shape.m - shape.square, shape.k, shape.n, has_triangle);
  shape.device_costs = &device->table();
}

Shape SolveInput::shape_of_copy(TaskKind kind, Index rows, Index columns) const {
  Shape shape{kind, rows, columns};
  shape.seconds = cost.fill(static_cast<double>(rows) * columns);
  return shape;
}

TileWords::TileWords(const SolveInput& input, const SolveTree::Tile& tile)
    : own_(input.tree.own_segment(tile)), has_triangle_(own_ == tile.segment_begin) {
  const auto& panel_begin = input.structure.panel_begin;
  const Index top =
      panel_begin[tile.panel_begin] - panel_begin[input.tree.node[tile.node].panel_begin];
  const auto first_tile = static_cast<Index>(input.tiling->tile_begin[tile.panel_begin]);
  const auto tiles = input.tiling->of(tile.panel_begin);
  for (Index p = tile.segment_begin; p < tile.segment_end; ++p) {
    if (p != own_) segment_.push_back(p);
  }
  words_.write(SolveTileMessage{has_triangle_ ? position_of(first_tile) : -1});
  for (std::size_t k = 0; k < segment_.size(); ++k) {
    const SolveTree::Segment& segment = input.tree.segment[segment_[k]];
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const Index begin = std::max(tiles[t].row_begin, segment.row_begin - top);
      const Index end = std::min(tiles[t].row_end, segment.row_end - top);
      if (begin >= end) continue;
      words_.add(FacingRows{.segment = static_cast<Index>(k) + 1,
                            .place = begin + top - segment.row_begin,
                            .tile = position_of(first_tile + static_cast<Index>(t)),
                            .top = begin - tiles[t].row_begin,
                            .rows = end - begin});
    }
  }
}

Index TileWords::position_of(Index tile) {
  if (tile_.empty() || tile_.back() != tile) tile_.push_back(tile);
  return static_cast<Index>(segment_.size() + tile_.size());
}

std::vector<Access> TileWords::accesses(AccessMode columns, AccessMode others,
                                        Index first_tile) const {
  std::vector<Access> accesses{{own_, columns}};
  for (const Index segment : segment_) accesses.push_back({segment, others});
  for (const Index tile : tile_) accesses.push_back({first_tile + tile, AccessMode::read});
  return accesses;
}

}  // namespace espalier::internal
