// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/factorize.hpp"

#include <cmath>

#include "codelets/relative_indices.hpp"

namespace espalier::internal {

namespace {

/// Reports a failed pivot check of a factored diagonal block and returns whether all checks passed.
/// If the kernel reports no failure of A = L Lᵀ, compares the pivots with the diagonal of A.
bool accept(FactorContext& context, Index first_column, ConstMatrixView l,
            PivotReport pivots = {}) {
  if (pivots.ok() && context.signs.empty()) {
    pivots = check_pivots(context.entries, context.value, first_column, l);
  }
  if (!pivots.ok()) context.failure.report(pivots.after(first_column).first_bad);
  return pivots.ok();
}

/// Solves for the rows of a panel below its diagonal block, whose factor is l.
void solve_rows(FactorContext& context, Index first_column, ConstMatrixView l, MatrixView rows,
                Worker& worker) {
  BlockPivots& pivots = context.signs.chosen;
  context.signs.learn_pivots(first_column, l);
  pivots.apply(first_column, rows);
  worker.kernels.trsm(l, rows, worker.workspace.buffer.span());
  pivots.mark_weak(first_column, l, rows);
}

}  // namespace

void DiagonalTask::run(TaskData data, Worker& worker) const {
  const MatrixView all = data[0];
  tile->fill_once(*context, all);
  const MatrixView block = all.row_range(0, all.columns);
  accept(
      *context, first_column, block,
      context->signs.factor(worker.kernels, first_column, block, worker.workspace.buffer.span()));
}

void DiagonalTask::take_result(std::span<const double> diagonal) const {
  constexpr Count same_row = 0;
  accept(*context, first_column,
         {diagonal.data(), 1, static_cast<Index>(diagonal.size()), same_row});
}

void FactorTask::run(TaskData data, Worker& worker) const {
  const MatrixView all = data[0];
  RowRange rows = rows_of_slice(worker.slice, all.rows - part.skipped);
  rows = {part.skipped + rows.begin, part.skipped + rows.end};
  tile->fill_once(*context, all, {worker.slice.rank == 0 ? 0 : rows.begin, rows.end}, worker.slice);
  const ConstMatrixView l = data.back().row_range(0, all.columns);
  const Index first_column = tile->part.first_column;
  solve_rows(*context, first_column, l, all.row_range(rows.begin, rows.end - rows.begin), worker);
  const bool has_first_row = rows.begin == 0 && rows.end > 0;
  if (has_first_row) context->signs.tell(first_column, all);
}

namespace {

class LeftLooking {
 public:
  LeftLooking(const SubtreeTask& task, double* values, Worker& worker)
      : context_(*task.context),
        structure_(*context_.structure),
        values_(values - structure_.value_begin[task.panel_begin]),
        worker_(worker) {}

  /// Returns false after a failed pivot check, which is reported.
  bool factor(Index j) {
    const MatrixView target = panel(j);
    const Index first = structure_.panel_begin[j];
    context_.fill_part({first, 0}, target);
    if (structure_.facing_begin[j] == structure_.facing_begin[j + 1]) {
      return eliminate(target, first);
    }
    const UpdateTarget into(structure_.rows(j), first, worker_.workspace);
    for (Count k = structure_.facing_begin[j]; k < structure_.facing_begin[j + 1]; ++k) {
      const Index source = structure_.facing_source[k];
      const Count block = structure_.facing_block[k];
      const ConstMatrixView from = panel(source);
      into.product(structure_.rows(source), structure_.block[block].row_offset,
                   structure_.block_end(source, block))
          .subtract(worker_.kernels, from, from, target, worker_.workspace.buffer.span(),
                    context_.signs.at(structure_.panel_begin[source]));
    }
    return eliminate(target, first);
  }

 private:
  MatrixView panel(Index j) const {
    const Index height = structure_.height(j);
    return {values_ + structure_.value_begin[j], height, structure_.width(j), height};
  }

  bool eliminate(MatrixView all, Index first_column) {
    if (all.rows == 1 && context_.signs.empty()) return take_root(all(0, 0), all, first_column);
    const MatrixView block = all.row_range(0, all.columns);
    const PivotReport pivots = context_.signs.factor(worker_.kernels, first_column, block,
                                                     worker_.workspace.buffer.span());
    if (!accept(context_, first_column, block, pivots)) return false;
    if (all.rows > all.columns) {
      solve_rows(context_, first_column, block, all.row_range(all.columns, all.rows - all.columns),
                 worker_);
    }
    return true;
  }

  /// Factors a panel of a single entry without calling kernels.
  bool take_root(double& pivot, ConstMatrixView all, Index first_column) {
    const PivotReport pivots{pivot > 0 ? -1 : 0};
    if (pivots.ok()) pivot = std::sqrt(pivot);
    return accept(context_, first_column, all, pivots);
  }

  FactorContext& context_;
  const PanelStructure& structure_;
  double* values_;
  Worker& worker_;
};

}  // namespace

void SubtreeTask::run(TaskData data, Worker& worker) const {
  LeftLooking subtree(*this, data[0].data, worker);
  for (Index j = panel_begin; j < panel_end; ++j) {
    if (!subtree.factor(j)) return;
  }
}

OperationCounts operations_inside(const PanelStructure& structure, Index panel_begin,
                                  Index panel_end) {
  OperationCounts counts;
  for (Index p = panel_begin; p < panel_end; ++p) {
    const Index width = structure.width(p);
    const Index height = structure.height(p);
    counts.potrf(width);
    counts.trsm(height - width, width);
    for (Count b = structure.block_begin[p] + 1; b < structure.block_begin[p + 1]; ++b) {
      const auto& [begin, facing] = structure.block[b];
      if (facing >= panel_end) break;
      counts.trapezoid(height - begin, structure.block_end(p, b) - begin, width);
    }
  }
  return counts;
}

}  // namespace espalier::internal
