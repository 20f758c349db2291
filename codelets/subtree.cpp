// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/subtree.hpp"

#include <algorithm>

#include "base/packed_triangle.hpp"

namespace espalier {

namespace {

class LeftLooking {
 public:
  LeftLooking(const SubtreeTask& task, double* values, Worker& worker)
      : task_(task),
        structure_(*task.context->structure),
        values_(values - structure_.value_begin[task.panel_begin]),
        worker_(worker) {}

  /// False after a failed pivot, which is reported.
  bool factor_panels() {
    for (Index j = task_.panel_begin; j < task_.panel_end; ++j) {
      fill(task_.context->entries, task_.context->value, {structure_.panel_begin[j], 0}, panel(j));
      set_positions(structure_.rows(j));
      for (Count k = structure_.facing_begin[j]; k < structure_.facing_begin[j + 1]; ++k) {
        update_from(structure_.facing_source[k], structure_.facing_block[k], j);
      }
      if (!factor_panel(j)) return false;
    }
    return true;
  }

  void contribute(const PackedTriangle& contribution) {
    std::fill_n(contribution.at(0, 0), PackedTriangle::entries(contribution.order()), 0.0);
    set_positions(task_.external_rows);
    for (Index j = task_.panel_begin; j < task_.panel_end; ++j) contribute_from(j, contribution);
  }

 private:
  MatrixView panel(Index j) const {
    const Index height = structure_.height(j);
    return {values_ + structure_.value_begin[j], height, structure_.width(j), height};
  }

  void set_positions(std::span<const Index> rows) {
    Index* const position = worker_.workspace.position.data();
    for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
  }

  /// The map of rows to their positions after that of the first, or null where these are
  /// consecutive.
  const Index* map(std::span<const Index> rows) {
    const Index* const position = worker_.workspace.position.data();
    const Index first = position[rows.front()];
    if (position[rows.back()] - first == static_cast<Index>(rows.size()) - 1) return nullptr;
    Index* const map = worker_.workspace.row_map.data();
    for (std::size_t i = 0; i < rows.size(); ++i) map[i] = position[rows[i]] - first;
    return map;
  }

  /// Subtracts rows [begin, height) times rows [begin, end) of panel k from the target, whose entry
  /// for the first of them is given.
  void subtract(Index k, Index begin, Index end, double* target, Count ld) {
    const MatrixView all = panel(k);
    const Index* const row = map(structure_.rows(k).subspan(begin));
    const Index columns = end - begin;
    const bool packed = row == nullptr || row[columns - 1] == columns - 1;
    const ScatterTarget place{target, ld, row, packed ? nullptr : row};
    const MatrixView a = all.row_range(begin, all.rows - begin);
    worker_.kernels.update(a, a.row_range(0, columns), true, place, worker_.workspace.buffer.span());
  }

  void update_from(Index k, Count block, Index j) {
    const Index begin = structure_.block[block].row_offset;
    const MatrixView target = panel(j);
    const Index first = worker_.workspace.position[structure_.rows(k)[begin]];
    subtract(k, begin, structure_.block_end(k, block), &target(first, first), target.ld);
  }

  bool factor_panel(Index j) {
    const MatrixView all = panel(j);
    const MatrixView block = all.row_range(0, all.columns);
    const Index first = structure_.panel_begin[j];
    const FactorContext& context = *task_.context;
    Index bad = worker_.kernels.potrf(block);
    if (bad < 0) bad = lost_pivot(context.entries, context.value, first, block);
    if (bad >= 0) {
      task_.context->failure.report(first + bad);
      return false;
    }
    if (all.rows > all.columns) {
      worker_.kernels.trsm(block, all.row_range(all.columns, all.rows - all.columns));
    }
    return true;
  }

  /// Strip by strip of the contribution.
  void contribute_from(Index j, const PackedTriangle& contribution) {
    const auto rows = structure_.rows(j);
    const Index outside = structure_.panel_begin[task_.panel_end];
    const auto height = static_cast<Index>(rows.size());
    auto begin =
        static_cast<Index>(std::lower_bound(rows.begin(), rows.end(), outside) - rows.begin());
    while (begin < height) {
      const Index first = worker_.workspace.position[rows[begin]];
      const Index strip_end = contribution.strip_end(first);
      Index end = begin + 1;
      while (end < height && worker_.workspace.position[rows[end]] < strip_end) ++end;
      subtract(j, begin, end, contribution.at(first, first), contribution.ld(first));
      begin = end;
    }
  }

  const SubtreeTask& task_;
  const PanelStructure& structure_;
  double* values_;
  Worker& worker_;
};

}  // namespace

void SubtreeTask::run(TaskData data, Worker& worker) const {
  LeftLooking subtree(*this, data[0].data, worker);
  if (!subtree.factor_panels() || external_rows.empty()) return;
  subtree.contribute(PackedTriangle(data[1].data, static_cast<Index>(external_rows.size())));
}

}  // namespace espalier
