// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/solve_tasks.hpp"

#include <algorithm>

namespace espalier {

FactorReady::FactorReady(FactorContext& context, std::span<const MatrixView> factor)
    : arguments_{{&context}} {
  list_.data.push_back({&memory_, 1, 1, 1});
  list_.data.insert(list_.data.end(), factor.begin(), factor.end());
  std::vector<Access> accesses{{0, AccessMode::write}};
  for (std::size_t k = 1; k < list_.data.size(); ++k) {
    accesses.push_back({static_cast<Index>(k), AccessMode::read});
  }
  list_.append({TaskKind::forward}, arguments_, accesses, 0);
}

namespace {

/// Longest paths through the tree, in seconds: from the start of each node's forward task to the
/// end of its root's, and from the start of its backward task to the end of the last leaf's.
struct Paths {
  std::vector<float> up;
  std::vector<float> down;
};

Paths longest_paths(const SolveInput& input, Index columns) {
  const auto& nodes = input.tree.node;
  Paths paths{std::vector<float>(nodes.size()), std::vector<float>(nodes.size())};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (Index t = nodes[i].tile_begin; t < nodes[i].tile_end; ++t) {
      paths.up[i] += static_cast<float>(input.cost.solve(input.tree.tile[t].entries, columns));
    }
  }
  std::vector<float> below(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    paths.down[i] = paths.up[i] + below[i];
    if (nodes[i].parent < 0) continue;
    float& other = below[nodes[i].parent];
    other = std::max(other, paths.down[i]);
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent >= 0) paths.up[i] += paths.up[nodes[i].parent];
  }
  return paths;
}

}  // namespace

SolveTasks::SolveTasks(const SolveInput& input, const FactorReady& ready, Index columns)
    : columns_(columns) {
  add_nodes(input);
  list_.data.push_back(ready.data());
  const SolveTree& tree = input.tree;
  const Paths paths = longest_paths(input, columns);
  forward_.reserve(tree.tile.size());
  backward_.reserve(tree.tile.size() + tree.node.size());
  for (const auto& tile : tree.tile) add_forward(input, tile, paths.up[tile.node]);
  for (std::size_t i = tree.node.size(); i-- > 0;) {
    const auto& node = tree.node[i];
    add_take(input, node, paths.down[i]);
    for (Index t = node.tile_end; t-- > node.tile_begin;) {
      add_backward(input, tree.tile[t], paths.down[i]);
    }
  }
}

namespace {

/// Positions of the external rows of a node in the front of its parent; both ascend.
std::vector<Index> positions(std::span<const Index> rows, const SolveNode& parent) {
  std::vector<Index> at;
  at.reserve(rows.size());
  const Index end = parent.first_column + parent.columns;
  Index outside = 0;
  for (const Index row : rows) {
    if (row < end) {
      at.push_back(row - parent.first_column);
    } else {
      while (parent.external_rows[outside] != row) ++outside;
      at.push_back(parent.columns + outside);
    }
  }
  return at;
}

}  // namespace

void SolveTasks::add_nodes(const SolveInput& input) {
  const auto& tree = input.tree.node;
  nodes_.resize(tree.size());
  Count rows = 0;
  for (const auto& node : tree) rows += node.front_rows();
  front_values_ = Buffer(rows * columns_);
  double* front = front_values_.data();
  for (std::size_t i = 0; i < tree.size(); ++i) {
    SolveNode& node = nodes_[i];
    node.first_column = input.structure.panel_begin[tree[i].panel_begin];
    node.columns = tree[i].columns;
    node.supernode = tree[i].supernode;
    node.external_rows = tree[i].external_rows;
    node.front = {front, columns_, tree[i].front_rows(), columns_};
    front += static_cast<Count>(node.front.columns) * columns_;
    for (Index k = tree[i].piece_begin; k < tree[i].piece_end; ++k) {
      const auto& piece = input.tree.piece[k];
      list_.data.push_back(
          node.front.column_range(piece.row_begin, piece.row_end - piece.row_begin));
    }
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent < 0) continue;
    SolveNode& parent = nodes_[tree[i].parent];
    nodes_[i].parent = &parent;
    nodes_[i].in_parent = positions(nodes_[i].external_rows, parent);
    parent.children.push_back(&nodes_[i]);
  }
}

SolveArguments SolveTasks::arguments(const SolveInput& input, const SolveTree::Tile& tile) const {
  return {{&input.context},
          &nodes_[tile.node],
          &vectors_,
          input.values,
          input.old_of,
          tile.panel_begin,
          tile.panel_end,
          input.tree.piece[tile.piece_begin].row_begin,
          input.tree.piece[tile.piece_end - 1].row_end};
}

namespace {

Shape shape_of(const SolveInput& input, TaskKind kind, const SolveTree::Tile& tile, Index columns) {
  const auto& begin = input.structure.panel_begin;
  const Index rows =
      input.tree.piece[tile.piece_end - 1].row_end - input.tree.piece[tile.piece_begin].row_begin;
  return {kind,
          rows,
          columns,
          begin[tile.panel_end] - begin[tile.panel_begin],
          2 * tile.entries * columns,
          input.cost.solve(tile.entries, columns)};
}

void append(std::vector<Access>& accesses, Index begin, Index end, AccessMode mode) {
  for (Index piece = begin; piece < end; ++piece) accesses.push_back({piece, mode});
}

}  // namespace

void SolveTasks::add_forward(const SolveInput& input, const SolveTree::Tile& tile, float priority) {
  const SolveTree& tree = input.tree;
  const auto& node = tree.node[tile.node];
  const Index own = tree.own_piece(tile);
  const bool first = tile.panel_begin == node.panel_begin;
  std::vector<Access> accesses;
  append(accesses, tile.piece_begin, tile.piece_end,
         first ? AccessMode::write : AccessMode::read_write);
  if (own < tile.piece_begin) accesses.push_back({own, AccessMode::read});
  if (first) {
    for (const SolveNode* child : nodes_[tile.node].children) {
      const auto& below = tree.node[child - nodes_.data()];
      for (Index piece = below.piece_begin; piece < below.piece_end; ++piece) {
        if (tree.piece[piece].row_end > below.columns)
          accesses.push_back({piece, AccessMode::read});
      }
    }
    accesses.push_back({static_cast<Index>(list_.data.size()) - 1, AccessMode::read});
  }
  const auto& bound = forward_.emplace_back(ForwardTask{arguments(input, tile), first});
  list_.append(shape_of(input, TaskKind::forward, tile, columns_), bound, accesses, priority);
}

void SolveTasks::add_take(const SolveInput& input, const SolveTree::Node& node, float priority) {
  if (node.tile_end - node.tile_begin == 1 || node.parent < 0) return;
  const SolveTree& tree = input.tree;
  const auto& parent = tree.node[node.parent];
  Index outside = node.piece_begin;
  while (tree.piece[outside].row_begin < node.columns) ++outside;
  const SolveTree::Tile rows{
      tree.tile[node.tile_begin].node, node.panel_end, node.panel_end, outside, node.piece_end, 0};
  std::vector<Access> accesses;
  append(accesses, outside, node.piece_end, AccessMode::write);
  append(accesses, parent.piece_begin, parent.piece_end, AccessMode::read);
  const auto& bound = backward_.emplace_back(BackwardTask{arguments(input, rows), true});
  list_.append(shape_of(input, TaskKind::backward, rows, columns_), bound, accesses, priority);
}

void SolveTasks::add_backward(const SolveInput& input, const SolveTree::Tile& tile,
                              float priority) {
  const SolveTree& tree = input.tree;
  const auto& node = tree.node[tile.node];
  const Index own = tree.own_piece(tile);
  const bool takes = node.tile_end - node.tile_begin == 1 && node.parent >= 0;
  std::vector<Access> accesses{{own, AccessMode::read_write}};
  append(accesses, std::max(tile.piece_begin, own + 1), tile.piece_end, AccessMode::read);
  if (takes) {
    const auto& parent = tree.node[node.parent];
    append(accesses, parent.piece_begin, parent.piece_end, AccessMode::read);
  }
  const auto& bound = backward_.emplace_back(BackwardTask{arguments(input, tile), takes});
  list_.append(shape_of(input, TaskKind::backward, tile, columns_), bound, accesses, priority);
}

}  // namespace espalier
