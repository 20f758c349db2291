// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "codelets/samples.hpp"
#include "graph/exchange.hpp"
#include "graph/rank_graphs.hpp"
#include "runtime/factor_memory.hpp"
#include "runtime/factor_tasks.hpp"
#include "runtime/sample_transfers.hpp"
#include "solver/entry_map.hpp"
#include "support/dense_cholesky.hpp"
#include "support/problems.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal::support {

/// Returns the places of the entries of A on a rank, with the same sources.
inline PanelEntries local_entries(const PanelEntries& whole, const LocalStructure& local) {
  PanelEntries entries;
  for (const Index column : local.column) {
    entries.entry.insert(entries.entry.end(), whole.entry.begin() + whole.begin[column],
                         whole.entry.begin() + whole.begin[column + 1]);
    entries.begin.push_back(static_cast<Count>(entries.entry.size()));
  }
  return entries;
}

/// All ranks of a factorization in one process, without StarPU and MPI. Each rank runs its list as
/// far as its messages have arrived. Messages are copies.
class SampleRanks {
 public:
  SampleRanks(const SparseMatrix& a, RankGraphs graphs, const SymbolicFactor& whole)
      : graphs_(std::move(graphs)) {
    const PanelEntries entries = map_entries(a.pattern, whole);
    for (std::size_t r = 0; r < graphs_.graph.size(); ++r) {
      ranks_.push_back(std::make_unique<Rank>(graphs_.local[r], graphs_.graph[r],
                                              local_entries(entries, graphs_.local[r]),
                                              a.value.data()));
    }
  }

  /// Returns the smallest column of L whose pivot failed, numbered in the whole matrix, or -1.
  Index run() {
    run_all(ranks_.size(), [&](Index r) { return advance(r); });
    Index bad = -1;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      EXPECT_EQ(ranks_[r]->progress.task, static_cast<std::size_t>(graphs_.graph[r].submitted()))
          << "rank " << r << " is stuck";
      const Index failed = ranks_[r]->context.failure.column();
      if (failed < 0) continue;
      const Index column = graphs_.local[r].column[failed];
      if (bad < 0 || column < bad) bad = column;
    }
    EXPECT_TRUE(transfers_.empty());
    return bad;
  }

  /// Expects that every entry of L is on one rank and equals that of the dense factorization `l`.
  void expect_factor(const SymbolicFactor& whole, const DenseMatrix& l) const {
    Count entries = 0;
    for_each_entry([&](Index row, Index column, double entry) {
      ++entries;
      EXPECT_TRUE(close(entry, l(row, column), l(column, column) + 1, whole.n));
    });
    EXPECT_EQ(entries, whole.nnz_l);
  }

  /// Calls f(row, column, entry) for all entries of L, numbered in the whole matrix.
  template <class F>
  void for_each_entry(F f) const {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const LocalStructure& local = graphs_.local[r];
      const auto visit = [&](Index panel, Index first_row, ConstMatrixView view) {
        const auto rows = local.rows(panel);
        for (Index j = 0; j < view.columns; ++j) {
          for (Index i = std::max(0, j - first_row); i < view.rows; ++i) {
            f(local.column[rows[first_row + i]], local.column[local.panel_begin[panel] + j],
              view(i, j));
          }
        }
      };
      for (Index p = 0; p < local.shared_begin; ++p) {
        const Index height = local.height(p);
        visit(p, 0,
              {ranks_[r]->values.data() + local.value_begin[p], height, local.width(p), height});
      }
      const Tiling& tiling = graphs_.graph[r].tiling;
      for (Count t = tiling.tile_begin[local.shared_begin]; t < std::ssize(tiling.tile); ++t) {
        if (owner_of(local, tiling.tile[t]) != local.rank) continue;
        visit(tiling.tile[t].panel, tiling.tile[t].row_begin, ranks_[r]->data[t]);
      }
    }
  }

 private:
  using Memory = std::vector<double>;
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

  struct Rank {
    Memory values;
    FactorContext context;
    std::optional<FactorTasks> tasks;
    std::vector<MatrixView> data;
    std::vector<MatrixView> pieces;  ///< the data, or the strips if there are batches
    std::map<Index, Memory>
        received;  ///< also holds contributions and shadows, until their release
    SampleWorker sample;
    Progress progress;

    Rank(const LocalStructure& local, const TaskGraph& graph, PanelEntries entries, const double* a)
        : values(stored_entries(local, graph), not_a_number), sample(local.n) {
      context.structure = &local;
      context.entries = std::move(entries);
      context.value = a;
      context.epoch = 1;
      data = data_in_array(local, graph, values.data());
      tasks.emplace(local, graph, context, data, false);
      pieces = graph.batches.empty() ? data : strips_in_array(local, graph, values.data());
      if (!graph.batches.empty()) tasks->make_batches(pieces);
    }

    MatrixView at(Index d) {
      if (pieces[d].data == nullptr) {
        Memory& memory = received[d];
        memory.assign(static_cast<std::size_t>(pieces[d].rows) * pieces[d].columns, not_a_number);
        pieces[d].data = memory.data();
      }
      return pieces[d];
    }
    void release(Index d) {
      EXPECT_EQ(received.erase(d), 1U);
      pieces[d].data = nullptr;
    }
    /// Runs a task or a batch.
    template <class Work>
    void run(const Work& work, std::span<const Access> accesses) {
      std::vector<MatrixView> buffers;
      for (const Access& access : accesses) buffers.push_back(at(access.data));
      work.perform(buffers, sample.worker);
    }
  };

  bool advance(Index r) {
    Rank& rank = *ranks_[r];
    const TaskList& list = rank.tasks->list();
    const auto messages = graphs_.graph[r].transfers();
    const auto take = [&](const Message& message) { return deliver(r, message); };
    if (const BatchList* const batches = list.batches) {
      return rank.progress.advance(
          batches->batch, messages,
          [&](const TaskBatch& batch) { rank.run(batch, batches->accesses(batch)); }, take);
    }
    return rank.progress.advance(
        list.task, messages, [&](const BoundTask& task) { rank.run(task, list.accesses(task)); },
        take);
  }

  bool deliver(Index r, const Message& m) {
    Rank& rank = *ranks_[r];
    if (m.kind == Message::Kind::release || m.kind == Message::Kind::end ||
        m.kind == Message::Kind::discard) {
      return rank.release(m.data), true;
    }
    const MatrixView view = rank.at(m.data);
    if (m.kind == Message::Kind::receive) return transfers_.receive(m.rank, r, m.tag, view);
    if (m.kind == Message::Kind::send) transfers_.send(r, m.rank, m.tag, view);
    return true;
  }

  RankGraphs graphs_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  SampleTransfers transfers_;
};

}  // namespace espalier::internal::support
