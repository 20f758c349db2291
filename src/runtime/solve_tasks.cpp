// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/solve_tasks.hpp"

#include <algorithm>

namespace espalier {

SolveTasks::SolveTasks(const SolveInput& input, Index columns) : columns_(columns) {
  add_nodes(input);
  const auto count = static_cast<Index>(nodes_.size());
  forward_.reserve(nodes_.size());
  backward_.reserve(nodes_.size());
  std::vector<float> below_root(nodes_.size());
  for (Index i = count - 1; i >= 0; --i) {
    const auto& node = input.tree.node[i];
    const auto own = static_cast<float>(input.cost.solve(node.entries, columns));
    below_root[i] = own + (node.parent >= 0 ? below_root[node.parent] : 0);
    predicted_seconds_ += 2 * own;
  }
  for (Index i = 0; i < count; ++i) add_forward(input, i, below_root[i]);
  for (Index i = count - 1; i >= 0; --i) add_backward(input, i, 0);
}

void SolveTasks::add_nodes(const SolveInput& input) {
  const auto& tree = input.tree.node;
  nodes_.resize(tree.size());
  children_.resize(tree.size());
  Count rows = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    SolveNode& node = nodes_[i];
    node.panel_begin = tree[i].panel_begin;
    node.panel_end = tree[i].panel_end;
    node.external_rows = tree[i].external_rows;
    rows += tree[i].front_rows();
    if (tree[i].parent < 0) continue;
    node.parent = &nodes_[tree[i].parent];
    nodes_[tree[i].parent].children.push_back(&node);
    children_[tree[i].parent].push_back(static_cast<Index>(i));
  }
  front_values_ = Buffer(rows * columns_);
  double* front = front_values_.data();
  for (const auto& node : tree) {
    list_.data.push_back({front, node.front_rows(), columns_, node.front_rows()});
    front += static_cast<Count>(node.front_rows()) * columns_;
  }
  list_.data.insert(list_.data.end(), input.factor_pieces.begin(), input.factor_pieces.end());
}

namespace {

void append_factor_data(const SolveInput& input, Index node, std::vector<Access>& accesses) {
  const auto fronts = static_cast<Index>(input.tree.node.size());
  for (const Index data : input.factor_data[node]) {
    accesses.push_back({fronts + data, AccessMode::read});
  }
}

Shape shape_of(const SolveInput& input, TaskKind kind, Index node, Index columns) {
  const auto& n = input.tree.node[node];
  return {kind,      n.front_rows(),          columns,
          n.columns, 2 * n.entries * columns, input.cost.solve(n.entries, columns)};
}

}  // namespace

void SolveTasks::add_forward(const SolveInput& input, Index node, float priority) {
  std::vector<Access> accesses{{node, AccessMode::write}};
  for (const Index child : children_[node]) accesses.push_back({child, AccessMode::read});
  append_factor_data(input, node, accesses);
  const auto& bound = forward_.emplace_back(
      ForwardTask{{{&input.context}, &nodes_[node], &vectors_, input.values, input.old_of}});
  list_.append(shape_of(input, TaskKind::forward, node, columns_), bound, accesses, priority);
}

void SolveTasks::add_backward(const SolveInput& input, Index node, float priority) {
  std::vector<Access> accesses{{node, AccessMode::read_write}};
  const Index parent = input.tree.node[node].parent;
  if (parent >= 0) accesses.push_back({parent, AccessMode::read});
  append_factor_data(input, node, accesses);
  const auto& bound = backward_.emplace_back(
      BackwardTask{{{&input.context}, &nodes_[node], &vectors_, input.values, input.old_of}});
  list_.append(shape_of(input, TaskKind::backward, node, columns_), bound, accesses, priority);
}

void SolveTasks::set_vectors(const SolveVectors& vectors) { vectors_ = vectors; }

}  // namespace espalier
