// SPDX-License-Identifier: BSD-3-Clause

#include "graph/shadows.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace espalier::internal {

Shadows::Shadows(const OffloadPlan* plan, const Exchange& exchange, GraphBuilder& builder)
    : plan_(plan),
      exchange_(exchange),
      builder_(builder),
      first_(static_cast<Index>(builder.graph().contribution.size())) {
  if (!plan) return;
  const PanelStructure& structure = builder.structure();
  of_tile_.assign(builder.graph().tiling.tile.size(), -1);
  last_of_domain_.assign(structure.panels(), -1);
  UpdatedRows updated(structure, plan->own);
  for (Index k = 0; k < structure.panels(); ++k) {
    if (plan->device[k] >= 0) enter(k, updated);
  }
  writers_.resize(builder.graph().contribution.size() - static_cast<std::size_t>(first_));
}

void Shadows::enter(Index panel, UpdatedRows& updated) {
  const PanelStructure& structure = builder_.structure();
  TaskGraph& graph = builder_.graph();
  const std::vector<Index> touched = updated.of(panel, [&](Index source, Count block) {
    const bool writes = plan_->on_device(structure, source, block);
    if (writes && !exchange_.is_shared(source)) last_of_domain_[panel] = source;
    return writes;
  });
  const auto rows = structure.rows(panel);
  auto from = touched.begin();
  const UpdateParts& parts = builder_.parts();
  for (Index t = parts.first_tile(panel); t < parts.first_tile(panel + 1); ++t) {
    const auto to = std::upper_bound(from, touched.end(), rows[parts.tile(t).row_end - 1]);
    if (from == to) continue;
    const auto begin = static_cast<Count>(graph.contribution_row.size());
    graph.contribution_row.insert(graph.contribution_row.end(), from, to);
    of_tile_[t] = static_cast<Index>(graph.contribution.size());
    graph.contribution.push_back({t, exchange_.rank(), begin,
                                  static_cast<Count>(graph.contribution_row.size()),
                                  plan_->device[panel], exchange_.outgoing(t)});
    from = to;
  }
}

Index Shadows::append_writer(const Task& task, KernelSum kernels) {
  const Index shadow = task.contribution;
  std::vector<Index>& writers = writers_of(shadow);
  if (writers.empty()) {
    const TaskGraph& graph = builder_.graph();
    const Count entries = graph.entries_of(builder_.structure(), graph.contribution[shadow]);
    writers.push_back(
        builder_.append({.kind = TaskKind::fill, .target = task.target, .contribution = shadow},
                        {0, builder_.cost().fill(static_cast<double>(entries)), 0}));
  }
  const Index t = builder_.append(task, kernels);
  builder_.edges().add(writers.front(), t);
  writers.push_back(t);
  return t;
}

void Shadows::reduce(Index t) {
  if (any() && exchange_.is_own(t)) append_reduce(t);
}

void Shadows::reduce_outgoing(Index j) {
  if (!any()) return;
  const UpdateParts& parts = builder_.parts();
  for (const Block& block : builder_.structure().blocks(j).subspan(1)) {
    if (last_of_domain_[block.facing] != j) continue;
    for (Index t = parts.first_tile(block.facing); t < parts.first_tile(block.facing + 1); ++t) {
      if (exchange_.outgoing(t) >= 0) append_reduce(t);
    }
  }
}

/// R comes after all tasks that add to the shadow, which then gives its memory back.
void Shadows::append_reduce(Index t) {
  const Index shadow = of_tile_[t];
  if (shadow < 0) return;
  const Index reduce = builder_.append_reduce(t, shadow);
  const std::span<const Index> writers(writers_of(shadow));
  for (const Index writer : writers.subspan(1)) builder_.edges().add(writer, reduce);
  builder_.append_message(
      {.kind = Message::Kind::discard, .data = builder_.graph().contribution_data(shadow)});
}

namespace {

class UpdateJoiner {
 public:
  UpdateJoiner(TaskGraph& graph, const JoinLimits& limits)
      : graph_(graph), limits_(limits), batch_of_(graph.task.size(), -1) {}

  void join() {
    find_batches();
    if (std::ranges::none_of(batch_, [](const Batch& b) { return b.member.size() > 1; })) return;
    place_tasks();
    move_edges();
    move_messages();
    graph_.task = std::move(task_);
    set_priorities(graph_);
  }

 private:
  struct Batch {
    std::vector<Index> member;
    Count words = 0;
    double seconds = 0;
  };

  bool is_on_device(const Task& task) const {
    return task.kind == TaskKind::update && task.contribution >= 0 &&
           graph_.contribution[task.contribution].is_shadow();
  }
  Index device_of(const Task& task) const { return graph_.contribution[task.contribution].device; }

  void find_batches() {
    auto message = graph_.message.begin();
    for (Index t = 0; t < graph_.size(); ++t) {
      for (; message != graph_.message.end() && message->before <= t; ++message) open_.clear();
      if (is_on_device(graph_.task[t])) add(t);
    }
  }

  void add(Index t) {
    const Task& task = graph_.task[t];
    const Count words = Count{task.rows.size()} + task.columns.size();
    const double seconds = size_of(task.rows, task.columns, task.inner).seconds(limits_.kernels);
    for (const Index b : open_) {
      Batch& batch = batch_[b];
      if (!is_alike(task, graph_.task[batch.member.front()]) ||
          std::ssize(batch.member) == limits_.targets || batch.words + words > limits_.words ||
          batch.seconds + seconds > limits_.seconds) {
        continue;
      }
      batch.member.push_back(t);
      batch.words += words;
      batch.seconds += seconds;
      batch_of_[t] = b;
      return;
    }
    std::erase_if(open_, [&](Index b) {
      const Task& first = graph_.task[batch_[b].member.front()];
      return panel_of(first) != panel_of(task) || is_alike(task, first);
    });
    batch_of_[t] = static_cast<Index>(batch_.size());
    open_.push_back(batch_of_[t]);
    batch_.push_back({{t}, words, seconds});
  }

  Index panel_of(const Task& update) const { return graph_.tiling.tile[update.left].panel; }
  bool is_alike(const Task& a, const Task& b) const {
    return a.left == b.left && a.right == b.right && device_of(a) == device_of(b);
  }

  void place_tasks() {
    place_.resize(graph_.task.size());
    for (Index t = 0; t < graph_.size(); ++t) {
      if (batch_of_[t] >= 0 && batch_[batch_of_[t]].member.back() != t) continue;
      const auto place = static_cast<Index>(task_.size());
      if (batch_of_[t] < 0) {
        place_[t] = place;
        task_.push_back(graph_.task[t]);
        continue;
      }
      const Batch& batch = batch_[batch_of_[t]];
      for (const Index member : batch.member) place_[member] = place;
      task_.push_back(joined(batch));
    }
  }

  Task joined(const Batch& batch) {
    Task whole = graph_.task[batch.member.front()];
    if (batch.member.size() == 1) return whole;
    whole.flops = whole.seconds = 0;
    whole.parts.begin = static_cast<Index>(graph_.part.size());
    for (const Index member : batch.member) {
      const Task& part = graph_.task[member];
      whole.flops += part.flops;
      whole.seconds += part.seconds;
      whole.tail = std::max(whole.tail, part.tail);
      graph_.part.push_back(part);
    }
    whole.parts.end = static_cast<Index>(graph_.part.size());
    return whole;
  }

  void move_edges() {
    std::vector<std::pair<Index, Index>> edges;
    edges.reserve(graph_.successor.size());
    for (Index t = 0; t < graph_.size(); ++t) {
      for (const Index next : graph_.successors(t)) edges.emplace_back(place_[t], place_[next]);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    graph_.successor.clear();
    graph_.successor_begin.assign(task_.size() + 1, 0);
    for (const auto& [from, to] : edges) {
      ++graph_.successor_begin[from + 1];
      graph_.successor.push_back(to);
    }
    for (std::size_t t = 0; t < task_.size(); ++t) {
      graph_.successor_begin[t + 1] += graph_.successor_begin[t];
    }
  }

  /// A message comes after the tasks that it came after.
  void move_messages() {
    Index t = 0;
    Index behind = 0;  // of the tasks so far the last one's new place, and one more
    for (Message& message : graph_.message) {
      for (; t < message.before; ++t) behind = std::max(behind, place_[t] + 1);
      message.before = behind;
    }
  }

  TaskGraph& graph_;
  const JoinLimits& limits_;
  std::vector<Batch> batch_;
  std::vector<Index> batch_of_;  ///< for each task, the batch it is in, or -1
  std::vector<Index> open_;  ///< batches of the source panel at hand, one for each pair of tiles
  std::vector<Task> task_;
  std::vector<Index> place_;  ///< for each task, its position in the new list
};

}  // namespace

void join_updates(TaskGraph& graph, const JoinLimits& limits) {
  if (graph.first_shadow() == static_cast<Index>(graph.contribution.size())) return;
  UpdateJoiner(graph, limits).join();
}

}  // namespace espalier::internal
