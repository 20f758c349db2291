// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/subtree.hpp"

#include <algorithm>

#include "codelets/index_map.hpp"

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

  void contribute(MatrixView contribution) {
    for (Index j = 0; j < contribution.columns; ++j) {
      std::fill(contribution.column(j) + j, contribution.column(j) + contribution.rows, 0.0);
    }
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

  /// The map of rows to their positions, or null where these are consecutive.
  const Index* map(std::span<const Index> rows) {
    const Index* const position = worker_.workspace.position.data();
    const Index first = position[rows.front()];
    if (position[rows.back()] - first == static_cast<Index>(rows.size()) - 1) return nullptr;
    Index* const map = worker_.workspace.row_map.data();
    for (std::size_t i = 0; i < rows.size(); ++i) map[i] = position[rows[i]] - first;
    return map;
  }

  /// Subtracts rows times columns of panel k, both from row `begin` of it on, from the target.
  void subtract(Index k, Index begin, Index column_end, MatrixView target) {
    const auto rows = structure_.rows(k).subspan(begin);
    const Index first = worker_.workspace.position[rows.front()];
    const auto columns = static_cast<Index>(column_end - begin);
    const Index* const row = map(rows);
    const bool packed = row == nullptr || row[columns - 1] == columns - 1;
    const ScatterTarget place{&target(first, first), target.ld, row, packed ? nullptr : row};
    const MatrixView a = panel(k).row_range(begin, static_cast<Index>(rows.size()));
    worker_.kernels.update(a, a.row_range(0, columns), true, place, worker_.workspace.buffer);
  }

  void update_from(Index k, Count block, Index j) {
    subtract(k, structure_.block[block].row_offset, structure_.block_end(k, block), panel(j));
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

  void contribute_from(Index j, MatrixView contribution) {
    const auto rows = structure_.rows(j);
    const Index outside = structure_.panel_begin[task_.panel_end];
    const auto begin = std::lower_bound(rows.begin(), rows.end(), outside) - rows.begin();
    if (begin == static_cast<std::ptrdiff_t>(rows.size())) return;
    subtract(j, static_cast<Index>(begin), static_cast<Index>(rows.size()), contribution);
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
  const auto order = static_cast<Index>(external_rows.size());
  subtree.contribute({data[1].data, order, order, order});
}

}  // namespace espalier
