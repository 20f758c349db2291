// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "graph/rank_tilings.hpp"
#include "runtime/sample_factor.hpp"
#include "runtime/solve_tasks.hpp"

namespace espalier::support {

/// One rank's part of a factor that was computed as a whole, in memory as a rank keeps it.
class RankFactor {
 public:
  RankFactor(const SampleFactor& whole, const LocalStructure& local, const Tiling& tiling)
      : local_(local),
        values_(local.value_begin.back(), std::numeric_limits<double>::quiet_NaN()),
        identity_(local.n),
        tiles_(tiling.tile.size()) {
    for (Index i = 0; i < local.n; ++i) identity_[i] = i;
    context_.structure = &local;
    for (Index p = 0; p < local.panels(); ++p) {
      const ConstMatrixView panel = panel_of(whole, local.column[local.panel_begin[p]]);
      if (p < local.shared_begin) {
        std::copy_n(panel.data, static_cast<Count>(panel.rows) * panel.columns,
                    values_.begin() + local.value_begin[p]);
        continue;
      }
      for (Count t = tiling.tile_begin[p]; t < tiling.tile_begin[p + 1]; ++t) {
        if (owner(tiling.tile[t]) == local.rank) copy_tile(panel, tiling.tile[t], tiles_[t]);
      }
    }
  }
  RankFactor(const RankFactor&) = delete;
  RankFactor& operator=(const RankFactor&) = delete;

  SolveInput input(const SolveTree& tree, const KernelCost& cost, const SharedSolve& shared) {
    return {local_, tree, cost, context_, values_.data(), identity_.data(), &shared, tiles_};
  }
  const LocalStructure& local() const { return local_; }
  FactorContext& context() { return context_; }
  std::span<const MatrixView> tiles() const { return tiles_; }

 private:
  static ConstMatrixView panel_of(const SampleFactor& whole, Index column) {
    const SymbolicFactor& symbolic = whole.symbolic();
    const auto& begin = symbolic.panel_begin;
    const auto p =
        static_cast<Index>(std::lower_bound(begin.begin(), begin.end(), column) - begin.begin());
    const Index height = symbolic.height(p);
    return {whole.values() + symbolic.value_begin[p], height, symbolic.width(p), height};
  }
  Index owner(const Tile& tile) const {
    const Index row = local_.rows(tile.panel)[tile.row_begin];
    const auto& begin = local_.panel_begin;
    const auto after = std::upper_bound(begin.begin(), begin.end(), row);
    return local_.owner(tile.panel, static_cast<Index>(after - begin.begin()) - 1);
  }
  void copy_tile(ConstMatrixView panel, const Tile& tile, MatrixView& view) {
    const Index rows = tile.row_end - tile.row_begin;
    auto& memory = *memory_.emplace_back(
        std::make_unique<std::vector<double>>(static_cast<std::size_t>(rows) * panel.columns));
    view = {memory.data(), rows, panel.columns, rows};
    for (Index j = 0; j < panel.columns; ++j) {
      std::copy_n(panel.column(j) + tile.row_begin, rows, view.column(j));
    }
  }

  const LocalStructure& local_;
  std::vector<double> values_;
  std::vector<Index> identity_;
  std::vector<MatrixView> tiles_;  ///< of shared panels, where this rank owns them
  std::vector<std::unique_ptr<std::vector<double>>> memory_;
  FactorContext context_;
};

/// What one rank does to solve with its part.
class RankSolve {
 public:
  RankSolve(RankFactor& factor, const Tiling& tiling, Index workers, Count tile_entries,
            Index columns)
      : factor_(factor),
        cut_(cut_for_solve(factor.local(), cost_, workers)),
        tree_(build_solve_tree(factor.local(), cut_, tile_entries)),
        shared_(build_shared_solve(factor.local(), tiling, tile_entries)),
        ready_(factor.context(), factor.tiles()),
        b_(static_cast<std::size_t>(factor.local().n) * columns),
        x_(b_.size(), std::numeric_limits<double>::quiet_NaN()) {
    tasks_.emplace(factor.input(tree_, cost_, shared_), ready_, columns);
    tasks_->set_vectors({b_.data(), x_.data(), columns});
  }
  RankSolve(const RankSolve&) = delete;
  RankSolve& operator=(const RankSolve&) = delete;

  /// Whether this rank begins with b, and ends with x, at a local column.
  bool keeps(Index column) const {
    const LocalStructure& local = factor_.local();
    const auto after = std::upper_bound(local.panel_begin.begin(), local.panel_begin.end(), column);
    const auto panel = static_cast<Index>(after - local.panel_begin.begin()) - 1;
    return local.owner(panel, panel) == local.rank;
  }
  /// Vectors in the numbering of L of the whole.
  void take(std::span<const double> b, Index n) {
    for_each_kept([&](std::size_t here, std::size_t there) { b_[here] = b[there]; }, n);
  }
  void give(std::span<double> x, Index n) const {
    for_each_kept([&](std::size_t here, std::size_t there) { x[there] = x_[here]; }, n);
  }
  const SolveTasks& tasks() const { return *tasks_; }
  const FactorReady& ready() const { return ready_; }
  const SharedSolve& shared() const { return shared_; }

 private:
  template <class Copy>
  void for_each_kept(Copy copy, std::size_t n) const {
    const auto local = static_cast<std::size_t>(factor_.local().n);
    for (Index i = 0; i < factor_.local().n; ++i) {
      if (!keeps(i)) continue;
      for (Index r = 0; r < tasks_->columns(); ++r) {
        copy(r * local + i, r * n + factor_.local().column[i]);
      }
    }
  }

  RankFactor& factor_;
  KernelCost cost_;
  SubtreeCut cut_;
  SolveTree tree_;
  SharedSolve shared_;
  FactorReady ready_;
  std::vector<double> b_;
  std::vector<double> x_;
  std::optional<SolveTasks> tasks_;
};

}  // namespace espalier::support
