// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/solve_tasks.hpp"

#include <algorithm>
#include <array>

#include "runtime/solve_input.hpp"

namespace espalier::internal {

FactorReady::FactorReady(FactorContext& context, std::span<const DataView> factor, std::size_t most)
    : arguments_{{&context}} {
  list_.data.push_back({&memory_, 1, 1, 1});
  list_.data.insert(list_.data.end(), factor.begin(), factor.end());
  std::vector<Access> accesses{{0, AccessMode::write}};
  for (std::size_t k = 1; k < list_.data.size(); ++k) {
    if (!list_.data[k].memory()) continue;
    if (accesses.size() == most + 1) {
      list_.append({TaskKind::forward}, arguments_, accesses, 0);
      accesses = {{0, AccessMode::read_write}};
    }
    accesses.push_back({static_cast<Index>(k), AccessMode::read});
  }
  list_.append({TaskKind::forward}, arguments_, accesses, 0);
}

namespace {

/// Times of the longest paths of the solve, in seconds, one value per node and then per shared
/// panel. `up` is the path of the forward solve from this node to the root, `down` the longest path
/// of the backward solve from this node to a leaf. Both include the first and the last node.
struct Paths {
  std::vector<float> up;
  std::vector<float> down;
};

class PathBuilder {
 public:
  PathBuilder(const SolveInput& input, Index columns) : input_(input), columns_(columns) {}

  Paths build() {
    for (const auto& node : input_.tree.node) add_node(node);
    for (std::size_t k = 0; k < shared_panels(); ++k) add_shared(static_cast<Index>(k));
    Paths paths{seconds_, seconds_};
    std::vector<float> below(seconds_.size());
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      paths.down[i] += below[i];
      if (parent_[i] < 0) continue;
      float& other = below[parent_[i]];
      other = std::max(other, paths.down[i]);
    }
    for (std::size_t i = seconds_.size(); i-- > 0;) {
      if (parent_[i] >= 0) paths.up[i] += paths.up[parent_[i]];
    }
    return paths;
  }

 private:
  std::size_t shared_panels() const { return input_.shared ? input_.shared->rows.size() : 0; }

  void add_node(const SolveTree::Node& node) {
    float sum = 0;
    for (Index t = node.tile_begin; t < node.tile_end; ++t) {
      const SolveTree::Tile& tile = input_.tree.tile[t];
      sum += static_cast<float>(input_.cost.solve(tile.entries, tile.rows, columns_));
    }
    const bool leaves = node.parent < 0 && !node.external_rows.empty();
    append(sum, leaves ? place_of(node.external_rows.front()) : node.parent);
  }
  void add_shared(Index k) {
    const Index panel = input_.shared->first_panel + k;
    const double rows = input_.structure.height(panel);
    const double entries = rows * input_.structure.width(panel);
    const auto below = input_.structure.rows(panel).subspan(input_.structure.width(panel));
    append(static_cast<float>(input_.cost.solve(entries, rows, columns_)),
           below.empty() ? -1 : place_of(below.front()));
  }
  void append(float seconds, Index parent) {
    seconds_.push_back(seconds);
    parent_.push_back(parent);
  }
  /// Returns the position of the shared panel that has this column of L; nodes come first.
  Index place_of(Index row) const {
    const auto first = input_.structure.panel_begin.begin() + input_.shared->first_panel;
    const auto after = std::upper_bound(first, input_.structure.panel_begin.end(), row);
    return static_cast<Index>(std::ssize(input_.tree.node) + (after - first)) - 1;
  }

  const SolveInput& input_;
  Index columns_;
  std::vector<float> seconds_;
  std::vector<Index> parent_;
};

}  // namespace

SolveTasks::SolveTasks(const SolveInput& input, const FactorReady& ready, Index columns)
    : columns_(columns) {
  add_nodes(input);
  if (input.shared) shared_.emplace(input, vectors_, columns, list_);
  add_tree_edges(input);
  ready_ = list_.data.size();
  list_.data.push_back(ready.data());
  if (input.tiling) list_.data.insert(list_.data.end(), input.tiles.begin(), input.tiles.end());
  const SolveTree& tree = input.tree;
  const Paths paths = PathBuilder(input, columns).build();
  forward_.reserve(tree.tile.size());
  backward_.reserve(tree.tile.size() + tree.node.size());
  if (input.tiling) {
    forward_tile_.reserve(tree.tile.size());
    backward_tile_.reserve(tree.tile.size());
    store_.reserve(tree.tile.size());
  }
  if (input.part != SolvePart::backward) add_all_forward(input, paths.up);
  if (input.part == SolvePart::forward) add_stores(input, paths.up);
  if (shared_) {
    add_shared(input, std::span(paths.up).subspan(tree.node.size()),
               std::span(paths.down).subspan(tree.node.size()));
  }
  if (input.part == SolvePart::backward) add_loads(input, paths.down);
  if (input.part != SolvePart::forward) add_all_backward(input, paths.down);
  if (input.tiling) list_.payloads = &payloads_.emplace(list_);
}

Count SolveTasks::task_bytes() const {
  constexpr auto bytes_of_all = [](const auto&... arrays) { return (bytes_of(arrays) + ...); };
  Count bytes = bytes_of_all(nodes_, forward_, backward_, forward_tile_, backward_tile_, store_,
                             load_, list_.task, list_.access, list_.data);
  for (const SolveNode& node : nodes_) bytes += bytes_of_all(node.children, node.in_parent);
  if (payloads_) bytes += payloads_->bytes();
  return bytes + (shared_ ? shared_->task_bytes() : 0);
}

void SolveTasks::add_all_forward(const SolveInput& input, std::span<const float> priority) {
  for (const auto& tile : input.tree.tile) add_forward(input, tile, priority[tile.node]);
}

void SolveTasks::add_all_backward(const SolveInput& input, std::span<const float> priority) {
  const SolveTree& tree = input.tree;
  for (std::size_t i = tree.node.size(); i-- > 0;) {
    const auto& node = tree.node[i];
    add_take(input, node, priority[i]);
    for (Index t = node.tile_end; t-- > node.tile_begin;) {
      add_backward(input, tree.tile[t], priority[i]);
    }
  }
}

namespace {

/// Returns the positions of the external rows of a node among the rows of its parent. Both lists
/// ascend.
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
  for (const auto& node : tree) rows += node.node_rows();
  local_values_ = Buffer(rows * columns_);
  double* vectors = local_values_.data();
  for (std::size_t i = 0; i < tree.size(); ++i) {
    SolveNode& node = nodes_[i];
    node.first_column = input.structure.panel_begin[tree[i].panel_begin];
    node.columns = tree[i].columns;
    node.supernode = tree[i].supernode;
    node.external_rows = tree[i].external_rows;
    node.vectors = {vectors, columns_, tree[i].node_rows(), columns_};
    vectors += static_cast<Count>(node.vectors.columns) * columns_;
    for (Index k = tree[i].segment_begin; k < tree[i].segment_end; ++k) {
      const auto& segment = input.tree.segment[k];
      list_.data.push_back(
          node.vectors.column_range(segment.row_begin, segment.row_end - segment.row_begin));
    }
  }
}

void SolveTasks::add_tree_edges(const SolveInput& input) {
  const auto& tree = input.tree.node;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].external_rows.empty()) continue;
    SolveNode& parent = tree[i].parent < 0 ? shared_->node() : nodes_[tree[i].parent];
    nodes_[i].parent = &parent;
    nodes_[i].in_parent = positions(nodes_[i].external_rows, parent);
    parent.children.push_back(&nodes_[i]);
  }
}

SolveArguments SolveTasks::arguments(const SolveInput& input, const SolveTree::Tile& tile) const {
  SolveArguments bound{{{&input.context}, &vectors_, input.old_of},
                       &nodes_[tile.node],
                       input.values,
                       tile.panel_begin,
                       tile.panel_end,
                       input.tree.segment[tile.segment_begin].row_begin,
                       input.tree.segment[tile.segment_end - 1].row_end};
  bound.on_panels = bound.count_operations(columns_);
  return bound;
}

namespace {

Shape shape_of(const SolveInput& input, TaskKind kind, const SolveTree::Tile& tile, Index columns) {
  const auto& begin = input.structure.panel_begin;
  const Index rows = input.tree.segment[tile.segment_end - 1].row_end -
                     input.tree.segment[tile.segment_begin].row_begin;
  return {kind,
          rows,
          columns,
          begin[tile.panel_end] - begin[tile.panel_begin],
          flops::solve(tile.entries, columns),
          input.cost.solve(tile.entries, tile.rows, columns)};
}

void append(std::vector<Access>& accesses, Index begin, Index end, AccessMode mode) {
  for (Index segment = begin; segment < end; ++segment) accesses.push_back({segment, mode});
}

/// Returns whether accelerators may run the tasks of a tile.
bool is_for_accelerators(const SolveInput& input, const SolveTree::Tile& tile) {
  const auto& node = input.tree.node[tile.node];
  return input.tiling && node.tile_end - node.tile_begin > 1 &&
         !input.tiling->of(tile.panel_begin).empty();
}

/// Returns the shape of a task on the tile that accelerators may run.
Shape shape_of_block(const SolveInput& input, TaskKind kind, const SolveTree::Tile& tile,
                     Index columns, bool has_triangle) {
  Shape shape = shape_of(input, kind, tile, columns);
  shape.row = shape.column = tile.panel_begin;
  input.offer_to_devices(shape, has_triangle);
  return shape;
}

/// Returns the first segment of a node that has external rows.
Index outside_begin(const SolveTree& tree, const SolveTree::Node& node) {
  Index segment = node.segment_begin;
  while (segment < node.segment_end && tree.segment[segment].row_end <= node.columns) ++segment;
  return segment;
}

}  // namespace

void SolveTasks::add_forward(const SolveInput& input, const SolveTree::Tile& tile, float priority) {
  if (!is_for_accelerators(input, tile)) return add_forward_on_cpu(input, tile, priority);
  if (tile.panel_begin == input.tree.node[tile.node].panel_begin) {
    SolveTree::Tile rows = tile;
    rows.panel_end = tile.panel_begin;
    rows.entries = 0;
    add_forward_on_cpu(input, rows, priority);
  }
  const TileWords named(input, tile);
  const AccessMode of_columns = named.has_triangle() ? AccessMode::read_write : AccessMode::read;
  const auto& bound = forward_tile_.emplace_back(ForwardTileTask{{&input.context}, named.words()});
  list_.append(shape_of_block(input, TaskKind::forward, tile, columns_, named.has_triangle()),
               bound, named.accesses(of_columns, AccessMode::read_write, ready() + 1), priority);
}

void SolveTasks::add_forward_on_cpu(const SolveInput& input, const SolveTree::Tile& tile,
                                    float priority) {
  const SolveTree& tree = input.tree;
  const auto& node = tree.node[tile.node];
  const Index own = tree.own_segment(tile);
  const bool first = tile.panel_begin == node.panel_begin;
  std::vector<Access> accesses;
  append(accesses, tile.segment_begin, tile.segment_end,
         first ? AccessMode::write : AccessMode::read_write);
  if (own < tile.segment_begin && tile.panel_begin < tile.panel_end) {
    accesses.push_back({own, AccessMode::read});
  }
  if (first) {
    for (const SolveNode* child : nodes_[tile.node].children) {
      const auto& below = tree.node[child - nodes_.data()];
      append(accesses, outside_begin(tree, below), below.segment_end, AccessMode::read);
    }
    accesses.push_back({ready(), AccessMode::read});
  }
  const auto& bound = forward_.emplace_back(ForwardTask{arguments(input, tile), first});
  list_.append(shape_of(input, TaskKind::forward, tile, columns_), bound, accesses, priority);
}

void SolveTasks::add_shared(const SolveInput& input, std::span<const float> up,
                            std::span<const float> down) {
  const SolveTree& tree = input.tree;
  std::vector<std::vector<Index>> left(input.shared->segment.size());
  for (const auto& node : tree.node) {
    if (node.parent >= 0) continue;
    for (Index outer = outside_begin(tree, node); outer < node.segment_end; ++outer) {
      const Index begin = std::max(tree.segment[outer].row_begin - node.columns, 0);
      const Index end = tree.segment[outer].row_end - node.columns;
      for (const Index segment :
           shared_->segments_of(node.external_rows.subspan(begin, end - begin))) {
        left[segment].push_back(outer);
      }
    }
  }
  shared_->append_forward(left, ready(), up);
  shared_->append_backward(down);
}

void SolveTasks::append_parent(const SolveInput& input, const Node& node,
                               std::vector<Access>& accesses) const {
  if (node.parent >= 0) {
    const auto& parent = input.tree.node[node.parent];
    return append(accesses, parent.segment_begin, parent.segment_end, AccessMode::read);
  }
  for (const Index segment : shared_->segments_of(node.external_rows)) {
    accesses.push_back({shared_->data(segment), AccessMode::read});
  }
}

void SolveTasks::add_take(const SolveInput& input, const Node& node, float priority) {
  if (node.tile_end - node.tile_begin == 1 || node.external_rows.empty()) return;
  const SolveTree& tree = input.tree;
  const Index outside = outside_begin(tree, node);
  const SolveTree::Tile rows{tree.tile[node.tile_begin].node,
                             node.panel_end,
                             node.panel_end,
                             outside,
                             node.segment_end,
                             0,
                             0};
  std::vector<Access> accesses;
  append(accesses, outside, node.segment_end, AccessMode::write);
  append_parent(input, node, accesses);
  const auto& bound = backward_.emplace_back(BackwardTask{arguments(input, rows), true});
  list_.append(shape_of(input, TaskKind::backward, rows, columns_), bound, accesses, priority);
}

void SolveTasks::add_backward(const SolveInput& input, const SolveTree::Tile& tile,
                              float priority) {
  if (!is_for_accelerators(input, tile)) return add_backward_on_cpu(input, tile, priority);
  const TileWords named(input, tile);
  const auto& bound =
      backward_tile_.emplace_back(BackwardTileTask{{&input.context}, named.words()});
  list_.append(shape_of_block(input, TaskKind::backward, tile, columns_, named.has_triangle()),
               bound, named.accesses(AccessMode::read_write, AccessMode::read, ready() + 1),
               priority);
  if (named.has_triangle()) add_store(input, tile, priority);
}

void SolveTasks::add_store(const SolveInput& input, const SolveTree::Tile& tile, float priority) {
  const Index own = input.tree.own_segment(tile);
  const Index first = input.structure.panel_begin[tile.panel_begin];
  const Index columns = list_.data[own].columns();
  const auto& bound =
      store_.emplace_back(StoreTask{{{&input.context}, &vectors_, input.old_of}, first, columns});
  const Access access{own, AccessMode::read};
  list_.append(input.shape_of_copy(TaskKind::backward, columns, columns_), bound, {&access, 1},
               priority);
}

namespace {

/// Calls f(node, segment, first, columns) for each segment that has columns of its node. `first` is
/// the first of these columns of L.
template <class F>
void for_each_segment_of_columns(const SolveInput& input, F f) {
  const SolveTree& tree = input.tree;
  for (std::size_t i = 0; i < tree.node.size(); ++i) {
    const auto& node = tree.node[i];
    const Index first = input.structure.panel_begin[node.panel_begin];
    for (Index segment = node.segment_begin; segment < node.segment_end; ++segment) {
      const auto [begin, end] = tree.segment[segment];
      if (begin >= node.columns) break;
      f(i, segment, first + begin, std::min(end, node.columns) - begin);
    }
  }
}

}  // namespace

void SolveTasks::add_stores(const SolveInput& input, std::span<const float> priority) {
  store_.reserve(store_.size() + input.tree.segment.size());
  for_each_segment_of_columns(input, [&](std::size_t node, Index segment, Index first,
                                         Index columns) {
    const auto& bound =
        store_.emplace_back(StoreTask{{{&input.context}, &vectors_, input.old_of}, first, columns});
    const Access access{segment, AccessMode::read};
    list_.append(input.shape_of_copy(TaskKind::forward, columns, columns_), bound, {&access, 1},
                 priority[node]);
  });
}

void SolveTasks::add_loads(const SolveInput& input, std::span<const float> priority) {
  load_.reserve(input.tree.segment.size());
  for_each_segment_of_columns(input, [&](std::size_t node, Index segment, Index first,
                                         Index columns) {
    const auto& bound =
        load_.emplace_back(LoadTask{{{&input.context}, &vectors_, input.old_of}, first, columns});
    const std::array accesses{Access{segment, AccessMode::write},
                              Access{ready(), AccessMode::read}};
    list_.append(input.shape_of_copy(TaskKind::backward, columns, columns_), bound, accesses,
                 priority[node]);
  });
}

void SolveTasks::add_backward_on_cpu(const SolveInput& input, const SolveTree::Tile& tile,
                                     float priority) {
  const SolveTree& tree = input.tree;
  const auto& node = tree.node[tile.node];
  const Index own = tree.own_segment(tile);
  const bool takes = node.tile_end - node.tile_begin == 1 && !node.external_rows.empty();
  std::vector<Access> accesses{{own, AccessMode::read_write}};
  append(accesses, std::max(tile.segment_begin, own + 1), tile.segment_end, AccessMode::read);
  if (takes) append_parent(input, node, accesses);
  const auto& bound = backward_.emplace_back(BackwardTask{arguments(input, tile), takes});
  list_.append(shape_of(input, TaskKind::backward, tile, columns_), bound, accesses, priority);
}

}  // namespace espalier::internal
