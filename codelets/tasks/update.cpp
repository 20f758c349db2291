// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/update.hpp"

#include <algorithm>

namespace espalier::internal {

namespace {

/// Returns the position of a row of L in the target tile.
Index place_of(const UpdateTask& task, Index row) {
  const auto begin = task.target_rows.begin();
  return static_cast<Index>(std::lower_bound(begin, task.target_rows.end(), row) - begin);
}

}  // namespace

void UpdateTask::run(TaskData data, Worker& worker) const {
  MatrixView left = data[static_cast<std::size_t>(targets())];
  if (!pieces.empty()) {
    MatrixView whole = data.front();
    whole.rows = static_cast<Index>(target_rows.size());
    left.rows = left_row + static_cast<Index>(source_rows.size());
    return update(whole, left, right_apart ? data.back() : left, worker);
  }
  std::size_t target = 0;
  for (const UpdateTask* part = this; part != nullptr; part = part->next) {
    part->update(data[target++], left, data.back(), worker);
  }
}

void UpdateTask::write(MessageWriter& message, Workspace& workspace) const {
  message.write(UpdateMessage{context->signs.in_tiles ? 1 : 0});
  for (const UpdateTask* part = this; part != nullptr; part = part->next) {
    workspace.reserve_maps(std::max(part->source_rows.size(), part->source_columns.size()));
    const auto rows = static_cast<Index>(part->source_rows.size());
    message.add(part->product({0, rows}, workspace));
  }
}

void UpdateTask::fill(MatrixView target, RowRange rows, Slice slice) const {
  if (pieces.empty()) return tile->fill_once(*context, target, rows, slice);
  for (const Piece& piece : pieces) {
    const Index height = piece.rows.end - piece.rows.begin;
    const RowRange own{std::clamp(rows.begin - piece.rows.begin, 0, height),
                       std::clamp(rows.end - piece.rows.begin, 0, height)};
    piece.tile->fill_once(*context, target.row_range(piece.rows.begin, height), own, slice);
  }
}

OperationCounts UpdateTask::operations(const Shape& shape) const {
  OperationCounts counts;
  for (const UpdateTask* part = this; part != nullptr; part = part->next) {
    const auto rows = static_cast<Index>(part->source_rows.size());
    const auto columns = static_cast<Index>(part->source_columns.size());
    if (part->lower) {
      counts.trapezoid(rows, columns, shape.k);
    } else {
      counts.gemm(rows, columns, shape.k);
    }
  }
  return counts;
}

void UpdateTask::update(MatrixView target, ConstMatrixView left, ConstMatrixView right,
                        Worker& worker) const {
  const auto rows = static_cast<Index>(source_rows.size());
  const auto columns = static_cast<Index>(source_columns.size());
  const RowRange part = rows_of_slice(worker.slice, rows, lower ? columns : 0);
  const auto target_row = [&](Index row) {
    return row == rows ? target.rows : place_of(*this, source_rows[row]);
  };
  const Index top = worker.slice.rank == 0 ? 0 : target_row(part.begin);
  fill(target, {top, target_row(part.end)}, worker.slice);
  if (part.begin == part.end) return;
  product(part, worker.workspace)
      .subtract(worker.kernels, left, right, target, worker.workspace.buffer.span(),
                context->signs.learn(source_column, left));
}

Product UpdateTask::product(RowRange part, Workspace& workspace) const {
  const auto rows = source_rows.subspan(part.begin, part.end - part.begin);
  Product product{static_cast<Index>(rows.size()), static_cast<Index>(source_columns.size())};
  product.left_row = left_row + part.begin;
  product.right_row = right_row;
  product.whole = lower ? std::min(part.begin, product.columns) : product.columns;
  product.target_row = place_of(*this, rows.front());
  product.target_column = source_columns.front() - target_column;
  const auto below = target_rows.subspan(product.target_row);
  if (below[rows.size() - 1] != rows.back()) {
    merge_positions(rows, below, workspace.row_map.data());
    product.row = {workspace.row_map.data(), rows.size()};
  }
  product.column = positions_of_columns(source_columns, workspace.column_map.data());
  return product;
}

template <class F>
void AssembleTask::for_each_block(F f) const {
  const PanelStructure& s = *context->structure;
  const auto sources = s.facing_source.begin();
  const auto end = sources + s.facing_begin[panel + 1];
  for (auto k = std::lower_bound(sources + s.facing_begin[panel], end, panel_begin);
       k != end && *k < panel_end; ++k) {
    const Count block = s.facing_block[k - sources];
    f(*k, s.block[block].row_offset, s.block_end(*k, block));
  }
}

template <class F>
void AssembleTask::for_each_product(const UpdateTarget& into, F f) const {
  for_each_block([&](Index k, Index begin, Index end) {
    const Product product = into.product(context->structure->rows(k), begin, end);
    if (product.rows > 0) f(k, product);
  });
}

OperationCounts AssembleTask::operations_of_group() const {
  const PanelStructure& s = *context->structure;
  OperationCounts counts;
  for_each_block([&](Index k, Index begin, Index end) {
    const auto rows = s.rows(k).subspan(begin);
    const auto first = std::lower_bound(rows.begin(), rows.end(), target_rows.front());
    const auto last = std::upper_bound(first, rows.end(), target_rows.back());
    const auto height = static_cast<Index>(last - first);
    const auto above = std::min(static_cast<Index>(first - rows.begin()), end - begin);
    const Index corner = std::min(end - begin - above, height);
    if (height == 0) return;
    counts.gemm(height, above, s.width(k));
    counts.trapezoid(height, corner, s.width(k));
  });
  return counts;
}

void AssembleTask::run(TaskData data, Worker& worker) const {
  const PanelStructure& s = *context->structure;
  const RowRange rows = rows_of_slice(worker.slice, data[0].rows);
  tile->fill_once(*context, data[0], rows, worker.slice);
  const Index height = rows.end - rows.begin;
  if (height == 0) return;
  const MatrixView target = data[0].row_range(rows.begin, height);
  const double* const values = data[1].data - s.value_begin[panel_begin];
  const UpdateTarget into(target_rows.subspan(rows.begin, height), s.panel_begin[panel],
                          worker.workspace);
  for_each_product(into, [&](Index k, const Product& product) {
    const Index source_height = s.height(k);
    const ConstMatrixView source{values + s.value_begin[k], source_height, s.width(k),
                                 source_height};
    product.subtract(worker.kernels, source, source, target, worker.workspace.buffer.span(),
                     context->signs.at(s.panel_begin[k]));
  });
}

void AssembleTask::write(MessageWriter& message, Workspace& workspace) const {
  const PanelStructure& s = *context->structure;
  message.write(AssembleMessage{context->signs.in_tiles ? 1 : 0});
  workspace.reserve_maps(static_cast<std::size_t>(s.n));
  const UpdateTarget into(target_rows, s.panel_begin[panel], workspace);
  for_each_product(into, [&](Index k, const Product& product) {
    const Count begin = s.value_begin[k] - s.value_begin[panel_begin];
    message.add(PanelProduct{begin, s.height(k), s.width(k), product});
  });
}

void ReduceTask::run(TaskData data, Worker& worker) const {
  const RowRange part = rows_of_slice(worker.slice, data[0].rows);
  const auto own = target_rows.subspan(part.begin, part.end - part.begin);
  tile->fill_once(*context, data[0], part, worker.slice);
  if (own.empty()) return;
  const auto begin = std::lower_bound(rows.begin(), rows.end(), own.front());
  const auto end = std::upper_bound(begin, rows.end(), own.back());
  Index* const map = worker.workspace.row_map.data();
  merge_positions({begin, end}, own, map);
  const ReduceMessage addition{{map, static_cast<std::size_t>(end - begin)}};
  addition.add(
      data[1].row_range(static_cast<Index>(begin - rows.begin()), static_cast<Index>(end - begin)),
      data[0].row_range(part.begin, part.end - part.begin));
}

void ReduceTask::write(MessageWriter& message, Workspace& workspace) const {
  workspace.reserve_maps(rows.size());
  merge_positions(rows, target_rows, workspace.row_map.data());
  message.write(ReduceMessage{{workspace.row_map.data(), rows.size()}});
}

}  // namespace espalier::internal
