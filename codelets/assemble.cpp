// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/assemble.hpp"

#include <algorithm>

#include "codelets/update_target.hpp"

namespace espalier {

void AssembleTask::run(TaskData data, Worker& worker) const {
  const PanelStructure& s = *context->structure;
  const MatrixView target = data[0];
  tile->fill_once(*context, target);
  UpdateTarget into(target_rows, s.panel_begin[panel], target, worker);
  const double* const values = data[1].data - s.value_begin[panel_begin];
  const auto sources = s.facing_source.begin();
  const auto end = sources + s.facing_begin[panel + 1];
  for (auto k = std::lower_bound(sources + s.facing_begin[panel], end, panel_begin);
       k != end && *k < panel_end; ++k) {
    const Index height = s.height(*k);
    const ConstMatrixView source{values + s.value_begin[*k], height, s.width(*k), height};
    const Count block = s.facing_block[k - sources];
    into.subtract(source, s.rows(*k), s.block[block].row_offset, s.block_end(*k, block));
  }
}

}  // namespace espalier
