// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/factor_batches.hpp"

#include <algorithm>

#include "graph/batches.hpp"

namespace espalier::internal {

FactorBatches::FactorBatches(const TaskGraph& graph, const TaskList& list,
                             std::span<const MatrixView> strips)
    : graph_(graph), list_(list), first_row_(graph.tiling.tile.size()), number_(strips.size(), -1) {
  for (Index s = 0; s < graph.batches.strips(); ++s) {
    for_each_tile_of_strip(graph, s, [&](Index t, Index row) { first_row_[t] = row; });
  }
  batches_.data.assign(strips.begin(), strips.end());
  batches_.place.resize(list.access.size());
  batches_.batch.reserve(static_cast<std::size_t>(graph.batches.size()));
  for (Index b = 0; b < graph.batches.size(); ++b) add(graph.batches.tasks(b));
  for (TaskBatch& batch : batches_.batch) batch.shape.queued = &batch.queued;
}

void FactorBatches::add(std::span<const Index> tasks) {
  const auto begin = std::ssize(batches_.access);
  for (const Index t : tasks) {
    const BoundTask& task = list_.task[t];
    for (Count a = task.access_begin; a < task.access_end; ++a) {
      const auto [tile, mode] = list_.access[a];
      const Index number = access_to(graph_.batches.strip_of[tile], mode);
      if (list_.data[tile].memory() == nullptr) batches_.place[a] = {number, first_row_[tile]};
    }
  }
  const auto end = std::ssize(batches_.access);
  batches_.batch.push_back({shape_of(tasks), &list_, tasks, begin, end});
  current_ = end;
  for (const Access& access : batches_.accesses(batches_.batch.back())) number_[access.data] = -1;
}

Index FactorBatches::access_to(Index strip, AccessMode mode) {
  Index& number = number_[strip];
  if (number < 0) {
    number = static_cast<Index>(std::ssize(batches_.access) - current_);
    batches_.access.push_back({strip, mode});
  }
  AccessMode& strictest = batches_.access[current_ + number].mode;
  if (strictest == AccessMode::read) strictest = mode;
  return number;
}

Shape FactorBatches::shape_of(std::span<const Index> tasks) const {
  Shape shape = list_.task[tasks.front()].shape;
  shape.kind = list_.task[tasks.back()].shape.kind;
  for (const Index t : tasks.subspan(1)) {
    const Shape& task = list_.task[t].shape;
    shape.m += task.m;
    shape.n = std::max(shape.n, task.n);
    shape.flops += task.flops;
    shape.seconds += task.seconds;
    shape.kernels += task.kernels;
    shape.path = std::max(shape.path, task.path);
    shape.square += task.square;
  }
  return shape;
}

}  // namespace espalier::internal
