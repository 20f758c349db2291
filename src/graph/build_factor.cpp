// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "base/dense.hpp"
#include "graph/edges.hpp"
#include "graph/exchange.hpp"
#include "graph/shadows.hpp"
#include "graph/task_graph.hpp"
#include "graph/update_parts.hpp"

namespace espalier {

namespace {

using Range = Task::Range;

class FactorGraphBuilder {
 public:
  /// `exchange` is null where there is one rank alone, `offload` where no device takes part.
  FactorGraphBuilder(const PanelStructure& structure, TaskGraph& graph, const KernelCost& cost,
                     std::span<const double> block_seconds, Fill fill, const OffloadPlan* offload,
                     Exchange* exchange)
      : structure_(structure),
        graph_(graph),
        cost_(cost),
        block_seconds_(block_seconds),
        fill_(fill),
        exchange_(exchange),
        parts_(structure, graph.tiling),
        edges_(graph.tiling.tile.size()),
        assemble_(graph.tiling.tile.size()) {
    if (exchange_) exchange_->find_contributions(graph_);
    if (offload) shadows_ = Shadows(structure, *offload, exchange_, graph);
  }

  /// The right-looking algorithm: subtrees first, then column by column D, F and U.
  void build() {
    if (exchange_) prepare_exchange();
    for (Index r = 0; r < static_cast<Index>(graph_.cut.groups.size()); ++r) {
      add_subtree(r);
    }
    for (Index j = 0; j < structure_.panels(); ++j) {
      if (graph_.cut.group_of[j] >= 0) continue;
      if (is_shared(j)) {
        add_shared_panel(j);
        continue;
      }
      for (Index t = first_tile(j); t < first_tile(j + 1); ++t) add_shadow(t);
      add_diagonal(j);
      for (Index t = first_tile(j); t < first_tile(j + 1); ++t) add_factor(j, t);
      parts_.for_each_update(j, [&](Task update, Count block) {
        update.contribution = shadows_.written_by(j, block, update.target);
        add_update(update);
      });
      if (exchange_) add_outgoing_shadows(j);
    }
    if (exchange_) sort_messages();
    edges_.store(graph_);
    set_priorities(graph_);
    add_fills(graph_, edges_, structure_, cost_);
    for (Task& task : graph_.task) finish(task);
    set_priorities(graph_);
  }

 private:
  Index first_tile(Index panel) const { return parts_.first_tile(panel); }
  const Tile& tile(Index t) const { return parts_.tile(t); }

  /// Whether the task writes its target, and not a contribution to it.
  bool writes_tile(const Task& task) const {
    return task.target >= 0 && graph_.written_instead(task) < 0;
  }

  Index append(Task task) {
    if (fill_ == Fill::by_tasks && writes_tile(task) && edges_.writers(task.target).empty()) {
      edges_.add_first_writer(task.target, graph_.size());
      graph_.task.push_back({.kind = TaskKind::fill, .target = task.target});
    }
    graph_.task.push_back(task);
    return graph_.size() - 1;
  }

  /// Adds kernels whose operations have the inner dimension `inner`; until finish(), a task's
  /// `inner` is the sum over them.
  static void add_kernels(Task& task, double flops, double seconds, double inner) {
    task.flops += flops;
    task.seconds += seconds;
    task.inner += flops * inner;
  }
  void finish(Task& task) const {
    if (task.flops > 0) task.inner /= task.flops;
    task.seconds = cost_.task(task.kind, task.seconds, task.flops, task.inner);
  }

  /// S(r), and A(r,t) for all tiles t that panels of the group update.
  void add_subtree(Index r) {
    const auto& group = graph_.cut.groups[r];
    Task subtree{.kind = TaskKind::subtree, .group = r};
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      const Index width = structure_.width(p);
      const Index height = structure_.height(p);
      add_kernels(subtree, flops::potrf(width) + flops::trsm(height - width, width),
                  block_seconds_[structure_.block_begin[p]], width);
      for (Count b = structure_.block_begin[p] + 1; b < structure_.block_begin[p + 1]; ++b) {
        const Range columns{structure_.block[b].row_offset, structure_.block_end(p, b)};
        const Index k = structure_.block[b].facing;
        const Product whole{{columns.begin, height}, columns, width};
        if (k < group.panel_end) {
          add_kernels(subtree, whole.flops(), block_seconds_[b], width);
        } else if (parts_.is_one_tile(k)) {
          add_kernels(assemble_into(r, first_tile(k)), whole.flops(), block_seconds_[b], width);
        } else {
          parts_.for_each_part(p, columns, k, [&](Index t, Range rows) {
            add_product(assemble_into(r, t), {rows, columns, width}, Target::again);
          });
        }
      }
    }
    append_with_assembles(subtree);
  }

  void append_with_assembles(const Task& subtree) {
    const Index s = append(subtree);
    std::sort(assembled_.begin(), assembled_.end());
    for (const Index t : assembled_) {
      const Index a = append_writer(assemble_[t]);
      edges_.add(s, a);
    }
    assembled_.clear();
  }

  /// A(r,t) for the group r at hand.
  Task& assemble_into(Index r, Index t) {
    Task& task = assemble_[t];
    if (task.group != r) {
      task = {.kind = TaskKind::assemble, .group = r, .target = t, .contribution = outgoing(t)};
      assembled_.push_back(t);
    }
    return task;
  }

  /// The update by these rows and columns of a source panel.
  struct Product {
    Range rows;
    Range columns;
    Index inner;

    bool is_trapezoid() const { return rows.begin == columns.begin; }
    double flops() const {
      return is_trapezoid() ? flops::trapezoid(rows.size(), columns.size(), inner)
                            : flops::gemm(rows.size(), columns.size(), inner);
    }
  };

  void add_product(Task& task, const Product& p, Target target) const {
    const double seconds = p.is_trapezoid()
                               ? cost_.update(p.rows.size(), p.columns.size(), p.inner, target)
                               : cost_.product(p.rows.size(), p.columns.size(), p.inner, target);
    add_kernels(task, p.flops(), seconds, p.inner);
  }

  void add_diagonal(Index j) {
    const Index width = structure_.width(j);
    Task diagonal{.kind = TaskKind::diagonal, .target = first_tile(j)};
    add_kernels(diagonal, flops::potrf(width), cost_.potrf(width), width);
    if (is_shared(j)) diagonal.tail = static_cast<float>(level_[j] - cost_.potrf(width));
    diagonal_task_ = append(diagonal);
    edges_.add_after_writers(first_tile(j), diagonal_task_);
  }

  void add_factor(Index j, Index t) {
    const Index width = structure_.width(j);
    const Index rows = tile(t).row_end - std::max(tile(t).row_begin, width);
    if (rows <= 0) return;
    Task factor{.kind = TaskKind::factor,
                .target = t,
                .right = first_tile(j),
                .rows = {tile(t).row_end - rows, tile(t).row_end}};
    add_kernels(factor, flops::trsm(rows, width), cost_.trsm(rows, width), width);
    if (is_shared(j)) {
      factor.tail = static_cast<float>(
          std::max(0.0, level_[j] - cost_.potrf(width) - cost_.trsm(rows, width)));
    }
    const Index f = append(factor);
    if (diagonal_task_ >= 0) edges_.add(diagonal_task_, f);
    if (t != first_tile(j)) edges_.add_after_writers(t, f);
    edges_.set_factored(t, f);
  }

  void add_update(Task update) {
    const Index source = tile(update.left).panel;
    if (update.contribution < 0 && !is_shared(source))
      update.contribution = outgoing(update.target);
    add_product(update, {update.rows, update.columns, structure_.width(source)}, Target::anew);
    const Index u = append_writer(update);
    edges_.add_after_factored(update.left, u);
    if (update.right != update.left) edges_.add_after_factored(update.right, u);
  }

  /// A task that adds to its target, or to a contribution to it.
  Index append_writer(Task task) {
    const Index k = tile(task.target).panel;
    if (is_shared(k)) task.tail = static_cast<float>(level_[k]);
    const Index written = graph_.written_instead(task);
    if (written >= 0 && graph_.contribution[written].is_shadow()) return append_to_shadow(task);
    const Index t = append(task);
    if (written >= 0) {
      last_writer_[written] = t;
    } else {
      edges_.add_writer(task.target, t);
    }
    return t;
  }

  Index append_to_shadow(const Task& task) {
    const Index shadow = task.contribution;
    if (!shadows_.has_begun(shadow)) {
      Task fill{.kind = TaskKind::fill, .target = task.target, .contribution = shadow};
      fill.seconds = cost_.fill(entries_of(shadow));
      shadows_.begin(shadow, append(fill));
    }
    const Index t = append(task);
    shadows_.add_writer(shadow, t, edges_);
    return t;
  }

  /// R of the tile's shadow, which then gives its memory back.
  void add_shadow(Index t) {
    const Index shadow = shadows_.of(t);
    if (shadow < 0) return;
    const Index reduce = append_reduce(t, shadow);
    shadows_.add_reader(shadow, reduce, edges_);
    at_this_point(Message::Kind::discard, graph_.contribution_data(shadow));
  }

  /// Those of what this rank contributes to others' tiles, where panel j is the last that writes
  /// them.
  void add_outgoing_shadows(Index j) {
    for (const Block& block : structure_.blocks(j).subspan(1)) {
      if (!shadows_.is_last_of_domain(j, block.facing)) continue;
      for (Index t = first_tile(block.facing); t < first_tile(block.facing + 1); ++t) {
        if (outgoing(t) >= 0) add_shadow(t);
      }
    }
  }

  double entries_of(Index contribution) const {
    const Contribution& c = graph_.contribution[contribution];
    return static_cast<double>(c.row_end - c.row_begin) * structure_.width(tile(c.tile).panel);
  }

  Index append_reduce(Index t, Index contribution) {
    Task reduce{.kind = TaskKind::reduce, .target = t, .contribution = contribution};
    const double entries = entries_of(contribution);
    add_kernels(reduce, entries, cost_.fill(entries), 1);
    return append_writer(reduce);
  }

  void at_this_point(Message::Kind kind, Index data) {
    graph_.message.push_back({.kind = kind, .data = data, .before = graph_.size()});
  }

  bool is_shared(Index panel) const { return exchange_ && exchange_->is_shared(panel); }
  /// The contribution that this rank makes to a tile instead of writing it, or -1.
  Index outgoing(Index t) const { return exchange_ ? exchange_->outgoing(t) : -1; }

  void prepare_exchange() {
    last_writer_.assign(graph_.contribution.size(), -1);
    level_.assign(structure_.panels(), 0);
    for (Index j = structure_.panels() - 1; j >= 0 && is_shared(j); --j) level_[j] = level_of(j);
  }

  /// Predicted seconds from the start of D(j) to the end of the factorization: of D, F and U of one
  /// tile at a time, from each panel into the next one that it updates.
  double level_of(Index j) const {
    const Index width = structure_.width(j);
    const double diagonal = cost_.potrf(width);
    const Count b = structure_.block_begin[j] + 1;
    if (b == structure_.block_begin[j + 1]) return diagonal;
    const Range columns{structure_.block[b].row_offset, structure_.block_end(j, b)};
    const Index rows = tile(parts_.source_tile(j, columns.begin)).row_end - columns.begin;
    return diagonal + cost_.trsm(rows, width) + cost_.update(rows, columns.size(), width) +
           level_[structure_.block[b].facing];
  }

  /// R, D, F and U of a shared panel as far as this rank runs them. What it factors of the panel it
  /// sends to whom needs it; what it needs of it, it receives and releases after the last update.
  void add_shared_panel(Index j) {
    find_needs(j);
    for (Index t = first_tile(j); t < first_tile(j + 1); ++t) {
      if (exchange_->is_own(t)) add_shadow(t);
      add_reductions(t);
    }
    const Index first = first_tile(j);
    diagonal_task_ = -1;
    if (exchange_->is_own(first)) add_diagonal(j);
    const bool whole = tile(first).row_end > structure_.width(j);
    if (!whole) move(first);
    for (Index t = first; t < first_tile(j + 1); ++t) {
      if (exchange_->is_own(t)) add_factor(j, t);
      if (t > first || whole) move(t);
    }
    parts_.for_each_update(j, [&](Task update, Count block) {
      if (!exchange_->is_own(update.target)) return;
      update.contribution = shadows_.written_by(j, block, update.target);
      add_update(update);
    });
    for (const auto& [t, rank] : needs_) {
      if (rank != exchange_->rank() || exchange_->is_own(t)) continue;
      at_this_point(Message::Kind::release, t);
    }
  }

  /// Tiles of a shared panel and the ranks that read them, ascending.
  void find_needs(Index j) {
    needs_.clear();
    const Index first = first_tile(j);
    for (Index t = first + 1; t < first_tile(j + 1); ++t) {
      needs_.emplace_back(first, exchange_->owner(t));
    }
    parts_.for_each_update(j, [&](const Task& update, Count /*block*/) {
      const Index rank = exchange_->owner(update.target);
      needs_.emplace_back(update.left, rank);
      if (update.right != update.left) needs_.emplace_back(update.right, rank);
    });
    std::sort(needs_.begin(), needs_.end());
    needs_.erase(std::unique(needs_.begin(), needs_.end()), needs_.end());
  }

  /// Sends a tile of a shared panel that is complete, or receives it.
  void move(Index t) {
    const Index j = tile(t).panel;
    const auto priority = static_cast<float>(level_[j] - cost_.potrf(structure_.width(j)));
    const Index owner = exchange_->owner(t);
    const auto begin = std::lower_bound(needs_.begin(), needs_.end(), std::pair(t, Index{0}));
    for (auto need = begin; need != needs_.end() && need->first == t; ++need) {
      const Index reader = need->second;
      const bool sends = exchange_->is_own(t);
      if (reader == owner || (!sends && reader != exchange_->rank())) continue;
      graph_.message.push_back({sends ? Message::Kind::send : Message::Kind::receive, t,
                                sends ? reader : owner, exchange_->tag(t), graph_.size(),
                                priority});
    }
  }

  void add_reductions(Index t) {
    const Range incoming = exchange_->incoming(t);
    const auto priority = static_cast<float>(level_[tile(t).panel]);
    for (Index c = incoming.begin; c < incoming.end; ++c) {
      const Contribution& contribution = graph_.contribution[c];
      const Index data = graph_.contribution_data(c);
      graph_.message.push_back({Message::Kind::receive, data, contribution.rank,
                                exchange_->contribution_tag(t), graph_.size(), priority});
      append_reduce(t, c);
      at_this_point(Message::Kind::release, data);
    }
  }

  /// Enters where contributions of this rank begin, all first, and where they leave: after their
  /// last writers, and before anything is awaited there.
  void sort_messages() {
    std::vector<Message> messages;
    for (Index c = 0; c < static_cast<Index>(last_writer_.size()); ++c) {
      const Contribution& contribution = graph_.contribution[c];
      if (contribution.rank != exchange_->rank() || contribution.is_shadow()) continue;
      const Index data = graph_.contribution_data(c);
      messages.push_back({.kind = Message::Kind::begin, .data = data});
      const Index before = last_writer_[c] + 1;
      const auto priority = static_cast<float>(level_[tile(contribution.tile).panel]);
      messages.push_back({Message::Kind::send, data, exchange_->owner(contribution.tile),
                          exchange_->contribution_tag(contribution.tile), before, priority});
      messages.push_back({.kind = Message::Kind::end, .data = data, .before = before});
    }
    messages.insert(messages.end(), graph_.message.begin(), graph_.message.end());
    std::stable_sort(messages.begin(), messages.end(),
                     [](const Message& a, const Message& b) { return a.before < b.before; });
    graph_.message = std::move(messages);
  }

  const PanelStructure& structure_;
  TaskGraph& graph_;
  const KernelCost& cost_;
  std::span<const double> block_seconds_;
  Fill fill_;
  Exchange* exchange_;
  UpdateParts parts_;
  EdgeList edges_;
  Shadows shadows_;
  std::vector<Task> assemble_;    ///< for each tile, A(r,t) of the last group r that has one
  std::vector<Index> assembled_;  ///< tiles that the group at hand updates
  Index diagonal_task_ = -1;
  std::vector<double> level_;       ///< for each panel, of the shared ones
  std::vector<Index> last_writer_;  ///< for each contribution, of those of this rank
  std::vector<std::pair<Index, Index>> needs_;
};

}  // namespace

TaskGraph build_factor_graph(const PanelStructure& structure, SubtreeCut cut, Tiling tiling,
                             const KernelCost& cost, std::span<const double> block_seconds,
                             Fill fill, const OffloadPlan* offload) {
  TaskGraph graph;
  graph.cut = std::move(cut);
  graph.tiling = std::move(tiling);
  FactorGraphBuilder(structure, graph, cost, block_seconds, fill, offload, nullptr).build();
  return graph;
}

TaskGraph build_rank_graph(const LocalStructure& structure, SubtreeCut cut, Tiling tiling,
                           const KernelCost& cost, std::span<const double> block_seconds, Fill fill,
                           const OffloadPlan* offload) {
  TaskGraph graph;
  graph.cut = std::move(cut);
  graph.tiling = std::move(tiling);
  Exchange exchange(structure, graph.tiling);
  FactorGraphBuilder(structure, graph, cost, block_seconds, fill, offload, &exchange).build();
  enter_room(graph, structure);
  return graph;
}

}  // namespace espalier
