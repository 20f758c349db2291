// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shared_panels.hpp"

#include <algorithm>

namespace espalier::internal {

SharedPanels::SharedPanels(const Exchange& exchange, GraphBuilder& builder)
    : exchange_(exchange), builder_(builder) {
  const Index panels = builder.structure().panels();
  level_.resize(panels - exchange.shared_begin());
  for (Index j = panels - 1; j >= exchange.shared_begin(); --j) level(j) = level_of(j);
}

/// Returns the predicted seconds from the start of D(j) to the end of the factorization, along one
/// path. The path goes from each panel to the next one that it updates, with D, F and U of one tile
/// per panel.
double SharedPanels::level_of(Index j) const {
  const PanelStructure& structure = builder_.structure();
  const UpdateParts& parts = builder_.parts();
  const KernelCost& cost = builder_.cost();
  const Index width = structure.width(j);
  const double diagonal = cost.potrf(width);
  const Count b = structure.block_begin[j] + 1;
  if (b == structure.block_begin[j + 1]) return diagonal;
  const Task::Range columns{structure.block[b].row_offset, structure.block_end(j, b)};
  const Index rows = parts.tile(parts.source_tile(j, columns.begin)).row_end - columns.begin;
  return diagonal + cost.trsm(rows, width) + cost.update(rows, columns.size(), width) +
         level(structure.block[b].facing);
}

void SharedPanels::begin(Index j) {
  needs_.clear();
  if (exchange_.is_shared(j)) find_needs(j);
}

void SharedPanels::find_needs(Index j) {
  const UpdateParts& parts = builder_.parts();
  const Index first = parts.first_tile(j);
  for (Index t = first + 1; t < parts.first_tile(j + 1); ++t) {
    needs_.emplace_back(first, exchange_.owner(t));
  }
  parts.for_each_update(j, [&](const Task& update, Count /*block*/) {
    const Index rank = exchange_.updater(j, update.target);
    needs_.emplace_back(update.left, rank);
    if (update.right != update.left) needs_.emplace_back(update.right, rank);
  });
  std::sort(needs_.begin(), needs_.end());
  needs_.erase(std::unique(needs_.begin(), needs_.end()), needs_.end());
}

void SharedPanels::reduce(Index t) {
  const Task::Range incoming = exchange_.incoming(t);
  for (Index c = incoming.begin; c < incoming.end; ++c) {
    const Index data = builder_.graph().contribution_data(c);
    builder_.append_message(
        {.kind = Message::Kind::receive,
         .data = data,
         .rank = builder_.graph().contribution[c].rank,
         .tag = exchange_.contribution_tag(t),
         .priority = static_cast<float>(level(builder_.parts().tile(t).panel))});
    builder_.append_reduce(t, c);
    builder_.append_message({.kind = Message::Kind::release, .data = data});
  }
}

void SharedPanels::move(Index t) {
  const Index owner = exchange_.owner(t);
  const bool sends = exchange_.is_own(t);
  const Index j = builder_.parts().tile(t).panel;
  const auto begin = std::lower_bound(needs_.begin(), needs_.end(), std::pair(t, Index{0}));
  for (auto need = begin; need != needs_.end() && need->first == t; ++need) {
    const Index reader = need->second;
    if (reader == owner || (!sends && reader != exchange_.rank())) continue;
    const double diagonal = builder_.cost().potrf(builder_.structure().width(j));
    builder_.append_message({.kind = sends ? Message::Kind::send : Message::Kind::receive,
                             .data = t,
                             .rank = sends ? reader : owner,
                             .tag = exchange_.tag(t),
                             .priority = static_cast<float>(level(j) - diagonal)});
  }
}

void SharedPanels::end() {
  for (const auto& [t, rank] : needs_) {
    if (rank != exchange_.rank() || exchange_.is_own(t)) continue;
    builder_.append_message({.kind = Message::Kind::release, .data = t});
  }
}

void SharedPanels::finish() {
  if (level_.empty()) return;
  for (Task& task : builder_.graph().task) {
    if (task.target >= 0) task.tail = tail_of(task);
  }
  sort_messages();
}

/// Returns the predicted seconds from the end of a task to the end of the factorization, along the
/// path of level_of() from the panel that the task writes.
float SharedPanels::tail_of(const Task& task) const {
  const Index j = builder_.parts().tile(task.target).panel;
  if (!exchange_.is_shared(j) || task.kind == TaskKind::fill) return 0;
  const Index width = builder_.structure().width(j);
  const KernelCost& cost = builder_.cost();
  if (task.kind == TaskKind::diagonal) return static_cast<float>(level(j) - cost.potrf(width));
  if (task.kind != TaskKind::factor) return static_cast<float>(level(j));
  const double rest = level(j) - cost.potrf(width) - cost.trsm(task.rows.size(), width);
  return static_cast<float>(std::max(0.0, rest));
}

/// Returns the last task that writes each contribution of this rank, or -1.
std::vector<Index> SharedPanels::last_writers() const {
  const TaskGraph& graph = builder_.graph();
  std::vector<Index> last(graph.contribution.size(), -1);
  for (Index t = 0; t < graph.size(); ++t) {
    const Index written = graph.written_instead(graph.task[t]);
    if (written >= 0) last[written] = t;
  }
  return last;
}

/// Adds the messages for this rank's contributions and sorts all messages. All contributions begin
/// first. Each is sent after its last writer, before any message that waits at the same position.
void SharedPanels::sort_messages() {
  TaskGraph& graph = builder_.graph();
  const std::vector<Index> last = last_writers();
  std::vector<Message> messages;
  for (Index c = 0; c < graph.first_shadow(); ++c) {
    const Contribution& contribution = graph.contribution[c];
    if (contribution.rank != exchange_.rank()) continue;
    const Index data = graph.contribution_data(c);
    const Index before = last[c] + 1;
    messages.push_back({.kind = Message::Kind::begin, .data = data});
    messages.push_back(
        {.kind = Message::Kind::send,
         .data = data,
         .rank = exchange_.owner(contribution.tile),
         .tag = exchange_.contribution_tag(contribution.tile),
         .before = before,
         .priority = static_cast<float>(level(graph.tiling.tile[contribution.tile].panel))});
    messages.push_back({.kind = Message::Kind::end, .data = data, .before = before});
  }
  messages.insert(messages.end(), graph.message.begin(), graph.message.end());
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.before < b.before; });
  graph.message = std::move(messages);
}

}  // namespace espalier::internal
