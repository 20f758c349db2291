// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/coprocessor/tasks.hpp"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <limits>

#include "codelets/block_pivots.hpp"
#include "codelets/coprocessor/team_potrf.hpp"
#include "codelets/entries.hpp"
#include "codelets/tasks/solve_tile.hpp"

namespace espalier::internal::coprocessor {

namespace {

/// Approximate times of one thread per operation and per entry written, in seconds. They hold for
/// an update of 2048 x 256 rows and columns, or for R.
constexpr double operation_seconds = 2e-11;
constexpr double entry_seconds = 2e-9;
/// Minimum work of a task for which a team is faster than one thread, in seconds of one thread. A
/// team must wake its threads and wait for the last one; in D it also does so for each panel.
/// Threads that share a core with others lose more.
constexpr double worth_a_team = 50e-6;

void run(const FillMessage& /*message*/, TaskData data, const Member& member) {
  fill_zero(member.share_of(data[0]));
}

void run(const DiagonalMessage& /*message*/, TaskData data, const Member& member) {
  const MatrixView block = data[0].row_range(0, data[0].columns);
  const PivotReport pivots = potrf(block, member);
  if (member.slice.rank > 0) return;
  std::vector<double>& diagonal = member.context.results;
  for (Index j = 0; j < block.columns; ++j) diagonal.push_back(block(j, j));
  if (pivots.ok()) return;
  diagonal[pivots.first_bad] = std::numeric_limits<double>::quiet_NaN();
  mark_as_failed(block);
}

/// The signs that a tile or a panel carries in its first row.
class CarriedSigns {
 public:
  /// Without `present`, A = L Lᵀ, and there are no signs.
  CarriedSigns(Index present, ConstMatrixView tile)
      : sign_(present != 0 ? static_cast<std::size_t>(tile.columns) : 0) {
    if (present != 0) take_signs(tile, sign_.data());
  }
  Signs get() const { return sign_.empty() ? nullptr : sign_.data(); }

 private:
  std::vector<double> sign_;
};

/// Solves for rows of a panel whose block carries its pivots. `is_first`: these are the first rows
/// of their tile.
void solve_with_pivots(ConstMatrixView l, MatrixView rows, bool is_first, const Member& member) {
  BlockPivots pivots = BlockPivots::of(l);
  pivots.apply(0, rows);
  member.context.kernels.trsm(l, rows, member.buffer());
  pivots.mark_weak(0, l, rows);
  for (Index k = 0; k < l.columns; ++k) {
    if (pivots.weak[k] == 0) continue;
    std::atomic_ref(member.context.results[k]).store(2 * sign_in(l(0, k)));
  }
  if (is_first) put_signs(rows, CarriedSigns(1, l).get());
}

void run(const FactorMessage& message, TaskData data, const Member& member) {
  const MatrixView rows = data[0].row_range(message.skipped, data[0].rows - message.skipped);
  const ConstMatrixView l = data.back().row_range(0, data[0].columns);
  const MatrixView share = member.share_of(rows);
  if (share.rows == 0) return;
  if (message.pivots != 0) return solve_with_pivots(l, share, share.data == data[0].data, member);
  member.context.kernels.trsm(l, share, member.buffer());
}

void run(const UpdateMessage& message, TaskData data, const Member& member) {
  const ConstMatrixView left = data[message.products.count];
  const CarriedSigns sign(message.signs, left);
  auto target = data.begin();
  message.products.for_each([&](const Product& product) {
    const RowRange rows =
        rows_of_slice(member.slice, product.rows, product.columns - product.whole);
    product.part(rows.begin, rows.end)
        .subtract(member.context.kernels, left, data.back(), *target++, member.buffer(),
                  sign.get());
  });
}

/// Divides the rows of the target among the members, because many products go to each row.
void run(const AssembleMessage& message, TaskData data, const Member& member) {
  const RowRange rows = rows_of_slice(member.slice, data[0].rows);
  message.products.for_each([&](const PanelProduct& panel) {
    const ConstMatrixView source{data[1].data + panel.begin, panel.height, panel.width,
                                 panel.height};
    const CarriedSigns sign(message.signs, source);
    panel.product.within(rows.begin, rows.end)
        .subtract(member.context.kernels, source, source, data[0], member.buffer(), sign.get());
  });
}

void run(const ReduceMessage& message, TaskData data, const Member& member) {
  const auto entries = static_cast<Index>(message.row.size());
  const RowRange rows = rows_of_slice(member.slice, entries);
  const Index count = rows.end - rows.begin;
  const ReduceMessage part{
      message.row.subspan(static_cast<std::size_t>(rows.begin), static_cast<std::size_t>(count))};
  part.add(data[1].row_range(rows.begin, count), data[0]);
}

/// Prepares the results that all members write.
void prepare(const FactorMessage& message, TaskData data, const DeviceContext& context) {
  if (message.pivots == 0) return;
  context.results.resize(static_cast<std::size_t>(data[0].columns));
  take_signs(data.back().row_range(0, 1), context.results.data());
}
template <class Message>
void prepare(const Message& /*message*/, TaskData /*data*/, const DeviceContext& /*context*/) {}

template <std::derived_from<SolveTileMessage> Message>
void run(const Message& message, TaskData data, const Member& member) {
  if (member.slice.rank == 0) solve(message, data, member.context.kernels);
}

}  // namespace

bool run(const TaskPayload& payload, TaskData data, const DeviceContext& context) {
  if (reads_mark_of_failure(data, payload.written)) {
    std::ranges::for_each(payload.written.of(data), mark_as_failed);
    return false;
  }
  payload.read([&](const auto& message) { prepare(message, data, context); });
  PivotReport pivots;
  const Index threads = context.team == nullptr ? 1 : context.team->size();
  const auto work = [&](Index rank) {
    const Member member{context, {rank, threads}, pivots};
    payload.read([&](const auto& message) { run(message, data, member); });
  };
  if (threads == 1) {
    work(0);
  } else {
    context.team->run(work);
  }
  return true;
}

bool is_worth_a_team(const Shape& shape) {
  if (shape.kind == TaskKind::forward || shape.kind == TaskKind::backward) return false;
  return operation_seconds * shape.flops + entry_seconds * shape.m * shape.n > worth_a_team;
}

}  // namespace espalier::internal::coprocessor
