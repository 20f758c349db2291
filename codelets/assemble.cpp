// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/assemble.hpp"

#include <algorithm>

#include "codelets/update_target.hpp"

namespace espalier {

void AssembleTask::run(TaskData data, Worker& worker) const {
  const PanelStructure& s = *context->structure;
  const RowRange rows = rows_of_slice(worker.slice, data[0].rows);
  tile->fill_once(*context, data[0], rows, worker.slice);
  const Index height = rows.end - rows.begin;
  if (height == 0) return;
  UpdateTarget into(target_rows.subspan(rows.begin, height), s.panel_begin[panel],
                    data[0].row_range(rows.begin, height), worker);
  const double* const values = data[1].data - s.value_begin[panel_begin];
  const auto sources = s.facing_source.begin();
  const auto end = sources + s.facing_begin[panel + 1];
  for (auto k = std::lower_bound(sources + s.facing_begin[panel], end, panel_begin);
       k != end && *k < panel_end; ++k) {
    const Index source_height = s.height(*k);
    const ConstMatrixView source{values + s.value_begin[*k], source_height, s.width(*k),
                                 source_height};
    const Count block = s.facing_block[k - sources];
    into.subtract(source, s.rows(*k), s.block[block].row_offset, s.block_end(*k, block));
  }
}

}  // namespace espalier
