// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/result.hpp"

#include "codelets/diagonal.hpp"
#include "codelets/fill.hpp"

namespace espalier {

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
