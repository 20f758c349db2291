// SPDX-License-Identifier: BSD-3-Clause
#include "graph/batches.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/exchange.hpp"

namespace espalier::internal {

namespace {

class Batching {
 public:
  Batching(TaskGraph& graph, const PartView& part, std::span<const BlockGrid> owners,
           double overhead)
      : graph_(graph),
        part_(part),
        owners_(owners),
        overhead_(overhead),
        exchange_(part.structure, part.ownership, graph.tiling) {}

  Batches made() && {
    for (Index p = 0; p < part_.structure.panels(); ++p) add_strips(p);
    for (Index p = 0; p < part_.structure.panels(); ++p) {
      const Index first = batches_.size();
      add_batches(p);
      add_messages(p, first);
    }
    return std::move(batches_);
  }

 private:
  /// Number of an owner or of a strip, and one of its tiles or tasks.
  using Member = std::pair<Index, Index>;

  /// Returns the cell of the worker that owns a tile, in the grid of the rank that owns it.
  Index cell_of(Index t) const {
    const Tile& tile = graph_.tiling.tile[t];
    const Index row_panel = row_panel_of(part_.structure, tile);
    const BlockPlace place = part_.ownership.place(tile.panel, row_panel);
    return owner_of_block(owners_[exchange_.owner(t)], place.row, place.column);
  }

  /// Adds the strips of a panel, in the order of their first tiles.
  void add_strips(Index panel) {
    std::vector<std::pair<Index, Index>> found;  // rank and cell of each strip
    members_.clear();
    const auto& begin = graph_.tiling.tile_begin;
    for (Count k = begin[panel]; k < begin[panel + 1]; ++k) {
      const auto t = static_cast<Index>(k);
      const std::pair owner(exchange_.owner(t), cell_of(t));
      const auto at = std::ranges::find(found, owner) - found.begin();
      if (at == std::ssize(found)) found.push_back(owner);
      members_.emplace_back(batches_.strips() + static_cast<Index>(at), t);
    }
    batches_.strip_of.resize(static_cast<std::size_t>(begin[panel + 1]));
    for (const auto& [strip, t] : members_) batches_.strip_of[t] = strip;
    append_members(batches_.tile, batches_.strip_begin);
  }

  /// Appends the members by ascending number. Members with the same number become one range.
  void append_members(std::vector<Index>& list, std::vector<Index>& begin) {
    std::ranges::sort(members_);
    for (std::size_t k = 0; k < members_.size(); ++k) {
      list.push_back(members_[k].second);
      const bool is_last = k + 1 == members_.size() || members_[k + 1].first != members_[k].first;
      if (is_last) begin.push_back(static_cast<Index>(list.size()));
    }
  }

  /// Returns a number for the batch of a task: the strip of a D or F, or after all strips the cell
  /// of a U.
  Index batch_key(const Task& task) const {
    return task.kind == TaskKind::update ? batches_.strips() + cell_of(task.target)
                                         : batches_.strip_of[task.target];
  }

  /// Adds the batches whose source is this panel: D and F by strip, then U by cell.
  void add_batches(Index panel) {
    members_.clear();
    for (; task_ < graph_.size() && graph_.source_of(graph_.task[task_]) == panel; ++task_) {
      members_.emplace_back(batch_key(graph_.task[task_]), task_);
    }
    join_short_updates();
    append_members(batches_.task, batches_.batch_begin);
  }

  /// Moves the U of a cell to the batch that makes their strip, if they read no other strip and
  /// take less time than the overhead of a task.
  void join_short_updates() {
    std::ranges::sort(members_);
    for (auto begin = members_.begin(); begin != members_.end();) {
      const Index key = begin->first;
      const auto end = std::find_if(begin, members_.end(),
                                    [&](const Member& member) { return member.first != key; });
      const std::span<Member> updates(begin, end);
      begin = end;
      if (key < batches_.strips()) continue;
      const Index strip = batches_.strip_of[graph_.task[updates.front().second].left];
      if (!is_made_by(strip, key - batches_.strips()) || !are_short(updates, strip)) continue;
      for (Member& update : updates) update.first = strip;
    }
  }

  /// Returns whether a cell of this rank owns the strip.
  bool is_made_by(Index strip, Index cell) const {
    const Index first = batches_.tiles(strip).front();
    return exchange_.is_own(first) && cell_of(first) == cell;
  }

  bool are_short(std::span<const Member> updates, Index strip) const {
    double seconds = 0;
    for (const auto& [key, t] : updates) {
      const Task& update = graph_.task[t];
      if (batches_.strip_of[update.left] != strip) return false;
      if (batches_.strip_of[update.right] != strip) return false;
      seconds += update.seconds;
    }
    return seconds < overhead_;
  }

  /// Adds the messages of a panel's strips. The first of its batches is `first`. Each rank sends or
  /// receives the strips in the same order. Sends follow the batch of their strip.
  void add_messages(Index panel, Index first) {
    std::vector<Message> moves;
    std::vector<Message> releases;
    const auto& list = graph_.message;
    for (; message_ < list.size() && panel_of(list[message_]) == panel; ++message_) {
      Message m = list[message_];
      m.data = batches_.strip_of[m.data];
      m.before = batches_.size();
      m.group_bytes = 0;
      if (m.kind == Message::Kind::release) {
        releases.push_back(m);
        continue;
      }
      m.tag = exchange_.tag(batches_.tiles(m.data).front());
      m.before = first;
      while (m.before < batches_.size() && strip_factored_by(m.before) <= m.data) ++m.before;
      moves.push_back(m);
    }
    append_once(moves);
    append_once(releases);
  }

  Index panel_of(const Message& message) const { return graph_.tiling.tile[message.data].panel; }

  /// Returns the strip of a batch of D and F; after all strips for a batch of U.
  Index strip_factored_by(Index batch) const {
    const Task& task = graph_.task[batches_.tasks(batch).front()];
    return task.kind == TaskKind::update ? batches_.strips() : batches_.strip_of[task.target];
  }

  /// Appends the messages by ascending strip and rank, and leaves out repetitions.
  void append_once(std::vector<Message>& messages) {
    const auto key = [](const Message& m) { return std::pair(m.data, m.rank); };
    std::ranges::sort(messages, {}, key);
    const auto repeated = std::ranges::unique(messages, {}, key);
    batches_.message.insert(batches_.message.end(), messages.begin(), repeated.begin());
  }

  const TaskGraph& graph_;
  const PartView part_;
  std::span<const BlockGrid> owners_;
  double overhead_;
  Exchange exchange_;
  Batches batches_;
  std::vector<Member> members_;
  Index task_ = 0;           ///< first task that is in no batch yet
  std::size_t message_ = 0;  ///< first message that is not regarded yet
};

void expect_only_blocks(const TaskGraph& graph) {
  const bool has_others = std::ranges::any_of(graph.task, [](const Task& task) {
    const bool eliminates = task.kind == TaskKind::diagonal || task.kind == TaskKind::factor ||
                            task.kind == TaskKind::update;
    return !eliminates || task.parts.size() > 0;
  });
  if (!has_others && graph.contribution.empty() && graph.cut.groups.empty()) return;
  throw std::logic_error("only tasks D, F and U with one target can be batched");
}

}  // namespace

void batch_tasks(TaskGraph& graph, const PartView& part, std::span<const BlockGrid> owners,
                 double overhead) {
  expect_only_blocks(graph);
  graph.batches = Batching(graph, part, owners, overhead).made();
  set_group_bytes(graph, part);
}

}  // namespace espalier::internal
