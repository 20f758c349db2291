// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/payload/task_payload.hpp"

#include <algorithm>
#include <new>
#include <span>

#include "codelets/payload/message.hpp"
#include "codelets/relative_indices.hpp"
#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/solve_tile.hpp"
#include "codelets/tasks/update.hpp"

namespace espalier {

namespace {

/// Positions of `rows` in the ascending list `all`, after that of the first; none where they are
/// consecutive.
struct Places {
  Index first;
  std::vector<Index> after;
};

Places places_in(std::span<const Index> all, std::span<const Index> rows) {
  const auto first = std::lower_bound(all.begin(), all.end(), rows.front());
  Places places{static_cast<Index>(first - all.begin()), {}};
  const auto from = all.subspan(static_cast<std::size_t>(places.first));
  if (from[rows.size() - 1] == rows.back()) return places;
  places.after.resize(rows.size());
  merge_positions(rows, from, places.after.data());
  return places;
}

/// Of columns of L, after the first one; none where they are consecutive.
std::vector<Index> column_places(std::span<const Index> columns) {
  std::vector<Index> places;
  if (contiguous(columns)) return places;
  for (const Index column : columns) places.push_back(column - columns.front());
  return places;
}

void write(const FactorTask& task, MessageWriter& message) { message.number(task.skipped); }

void write_product(const UpdateTask& task, MessageWriter& message) {
  const Places rows = places_in(task.target_rows, task.source_rows);
  const std::vector<Index> columns = column_places(task.source_columns);
  Product product{static_cast<Index>(task.source_rows.size()),
                  static_cast<Index>(task.source_columns.size())};
  product.left_row = task.left_row;
  product.right_row = task.right_row;
  product.whole = task.lower ? 0 : product.columns;
  product.target_row = rows.first;
  product.target_column = task.source_columns.front() - task.target_column;
  product.row = rows.after;
  product.column = columns;
  product.write(message);
}

void write(const UpdateTask& task, MessageWriter& message) {
  message.number(task.targets());
  for (const UpdateTask* part = &task; part != nullptr; part = part->next) {
    write_product(*part, message);
  }
}

/// What panel `source`, whose rows of L from `begin` to `end` are columns of the target, subtracts
/// from the rows of the target; nothing where it has none of them.
class PanelProduct {
 public:
  PanelProduct(std::span<const Index> source, Index begin, Index end,
               std::span<const Index> target_rows, Index target_column) {
    const auto from = std::lower_bound(source.begin() + begin, source.end(), target_rows.front());
    const auto to = std::upper_bound(from, source.end(), target_rows.back());
    const auto first = static_cast<Index>(from - source.begin());
    product_.rows = static_cast<Index>(to - from);
    if (product_.rows == 0) return;
    const auto columns = source.subspan(begin, end - begin);
    rows_ = places_in(target_rows, {from, to});
    columns_ = column_places(columns);
    product_.columns = end - begin;
    product_.left_row = first;
    product_.right_row = begin;
    product_.whole = std::min(first, end) - begin;
    product_.target_row = rows_.first;
    product_.target_column = columns.front() - target_column;
  }

  bool is_empty() const { return product_.rows == 0; }
  void write(MessageWriter& message) {
    product_.row = rows_.after;
    product_.column = columns_;
    product_.write(message);
  }

 private:
  Product product_;
  Places rows_{};
  std::vector<Index> columns_;
};

void write(const AssembleTask& task, MessageWriter& message) {
  const PanelStructure& s = *task.context->structure;
  const auto begin = s.facing_source.begin() + s.facing_begin[task.panel];
  const auto end = s.facing_source.begin() + s.facing_begin[task.panel + 1];
  MessageWriter products;
  Index count = 0;
  for (auto k = std::lower_bound(begin, end, task.panel_begin); k != end && *k < task.panel_end;
       ++k) {
    const Count block = s.facing_block[k - s.facing_source.begin()];
    PanelProduct product(s.rows(*k), s.block[block].row_offset, s.block_end(*k, block),
                         task.target_rows, s.panel_begin[task.panel]);
    if (product.is_empty()) continue;
    ++count;
    products.number(static_cast<Index>(s.value_begin[*k] - s.value_begin[task.panel_begin]));
    products.number(s.height(*k));
    products.number(s.width(*k));
    product.write(products);
  }
  message.number(count);
  message.append(products);
}

void write(const ReduceTask& task, MessageWriter& message) {
  std::vector<Index> row(task.rows.size());
  merge_positions(task.rows, task.target_rows, row.data());
  message.list(row);
}

std::size_t bytes_of(const MessageWriter& message) {
  const std::size_t bytes = sizeof(TaskPayload) + message.words().size_bytes();
  return (bytes + alignof(TaskPayload) - 1) / alignof(TaskPayload) * alignof(TaskPayload);
}

Count bytes_of_result(const Shape& shape) {
  const Count diagonal = shape.kind == TaskKind::diagonal ? shape.n : 0;
  return (1 + diagonal) * static_cast<Count>(sizeof(double));
}

/// Other than a shadow, which tasks of their own set to zero.
bool adds_to_contribution(const BoundTask& task) {
  if (task.shape.device >= 0) return false;
  switch (task.shape.kind) {
    case TaskKind::update: return static_cast<const UpdateTask&>(*task.arguments).tile->from_zero;
    case TaskKind::assemble:
      return static_cast<const AssembleTask&>(*task.arguments).tile->from_zero;
    case TaskKind::reduce: return static_cast<const ReduceTask&>(*task.arguments).tile->from_zero;
    default: return false;
  }
}

}  // namespace

bool is_for_accelerators(const Shape& shape) {
  switch (shape.kind) {
    case TaskKind::diagonal:
    case TaskKind::factor:
    case TaskKind::update:
    case TaskKind::assemble:
    case TaskKind::reduce: return true;
    case TaskKind::fill: return shape.device >= 0;
    case TaskKind::forward:
    case TaskKind::backward: return shape.column >= 0;
    default: return false;
  }
}

MessageWriter message_of(const BoundTask& task) {
  MessageWriter message;
  if (!is_for_accelerators(task.shape)) return message;
  switch (task.shape.kind) {
    case TaskKind::factor: write(static_cast<const FactorTask&>(*task.arguments), message); break;
    case TaskKind::update: write(static_cast<const UpdateTask&>(*task.arguments), message); break;
    case TaskKind::assemble:
      write(static_cast<const AssembleTask&>(*task.arguments), message);
      break;
    case TaskKind::reduce: write(static_cast<const ReduceTask&>(*task.arguments), message); break;
    case TaskKind::forward:
    case TaskKind::backward:
      message.append(static_cast<const SolveTileTask&>(*task.arguments).words);
      break;
    default: break;
  }
  return message;
}

TaskPayloads::TaskPayloads(const TaskList& list) {
  std::vector<MessageWriter> messages;
  begin_.reserve(list.task.size() + 1);
  for (const BoundTask& task : list.task) {
    messages.push_back(message_of(task));
    const auto bytes = static_cast<Count>(bytes_of(messages.back()));
    const bool eligible = is_for_accelerators(task.shape) && !adds_to_contribution(task) &&
                          task.access_end - task.access_begin <= most_data_of_payload &&
                          std::max(bytes, bytes_of_result(task.shape)) <= largest_payload;
    begin_.push_back(begin_.back() + (eligible ? bytes : 0));
  }
  memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(begin_.back()));
  for (std::size_t i = 0; i < list.task.size(); ++i) {
    const BoundTask& task = list.task[i];
    if (begin_[i] == begin_[i + 1]) continue;
    const auto words = messages[i].words();
    std::byte* const place = memory_.get() + begin_[i];
    new (place)
        TaskPayload{task.shape, &task, static_cast<Index>(task.access_end - task.access_begin),
                    static_cast<Index>(words.size())};
    std::ranges::copy(std::as_bytes(words), place + sizeof(TaskPayload));
  }
}

namespace {

void judge(const DiagonalTask& task, std::span<const double> diagonal) {
  FactorContext& context = *task.context;
  constexpr Count same_row = 0;
  const ConstMatrixView on_diagonal{diagonal.data(), 1, static_cast<Index>(diagonal.size()),
                                    same_row};
  const Index bad = lost_pivot(context.entries, context.value, task.first_column, on_diagonal);
  if (bad >= 0) context.failure.report(task.first_column + bad);
}

}  // namespace

void take_result(const BoundTask& task, Index worker, AcceleratorResult result) {
  FactorContext& context = *task.arguments->context;
  if (context.failure.happened()) return;  // what the task worked on may have no content
  const double seconds = result.front();
  const double end = context.clock.seconds();
  task.record = {worker, end - seconds, end, 1};
  auto& tally = context.workspace[worker].tally[static_cast<std::size_t>(task.shape.kind)];
  task.count_in(tally);
  tally.seconds += seconds;
  if (task.shape.kind == TaskKind::fill) {
    static_cast<const FillTask&>(*task.arguments).tile->note_filled(context);
  } else if (task.shape.kind == TaskKind::diagonal) {
    judge(static_cast<const DiagonalTask&>(*task.arguments), result.subspan(1));
  }
}

}  // namespace espalier
