// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/probe_series.hpp"

namespace espalier::internal {

UpdateTask dense_task(ProbeMemory& memory, Index rows, Index columns) {
  UpdateTask task{{{&memory.context}, &memory.filled}};
  task.target_rows = task.source_rows = std::span(memory.row).first(rows);
  task.source_columns = std::span(memory.row).first(columns);
  task.left_row = columns;
  return task;
}

UpdateTask update_task(ProbeMemory& memory, Index rows, Index columns, bool lower) {
  UpdateTask task{{{&memory.context}, &memory.filled}};
  task.target_rows = std::span(memory.row).first(memory.spread[rows - 1] + 1);
  task.source_rows = std::span(memory.spread).first(rows);
  task.source_columns = lower ? task.source_rows : std::span(memory.row).first(columns);
  task.left_row = lower ? 0 : columns;
  task.lower = lower;
  return task;
}

Once potrf_of(ProbeMemory& memory, Index n) {
  const DiagonalTask task{{{&memory.context}, &memory.filled}};
  return [=](const Pool& pool, Count number, Worker& worker) {
    const MatrixView a = ProbeMemory::triangle(pool, n, number);
    task.run({&a, 1}, worker);
  };
}

Once trsm_of(ProbeMemory& memory, Index m, Index n) {
  const FactorTask task{{{&memory.context}, &memory.filled}};
  return [=](const Pool& pool, Count number, Worker& worker) {
    const MatrixView data[] = {ProbeMemory::view(pool.target, m, n, number),
                               ProbeMemory::triangle(pool, n, number)};
    task.run(data, worker);
  };
}

Once gemm_of(ProbeMemory& memory, Index m, Index n, Index k, Count updates) {
  const UpdateTask task = update_task(memory, m, n, false);
  const auto height = static_cast<Index>(task.target_rows.size());
  return [=](const Pool& pool, Count number, Worker& worker) {
    const MatrixView data[] = {ProbeMemory::view(pool.target, height, n, number / updates),
                               ProbeMemory::view(pool.source, m + n, k, number / updates_a_source)};
    task.run(data, worker);
  };
}

}  // namespace espalier::internal
