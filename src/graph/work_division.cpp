// SPDX-License-Identifier: BSD-3-Clause
#include "graph/work_division.hpp"

namespace espalier::internal {

void WorkDivision::begin(Index j) {
  shared_.begin(j);
  const UpdateParts& parts = builder_.parts();
  for (Index t = parts.first_tile(j); t < parts.first_tile(j + 1); ++t) {
    shadows_.reduce(t);
    shared_.reduce(t);
  }
}

Index WorkDivision::append_update(Index j, Count block, Task& update, KernelSum kernels) {
  update.contribution = shadows_.written_by(j, block, update.target);
  if (update.contribution >= 0) return shadows_.append_writer(update, kernels);
  update.contribution = exchange_.outgoing(update.target);
  return builder_.append_writer(update, kernels);
}

void WorkDivision::end(Index j) {
  shadows_.reduce_outgoing(j);
  shared_.end();
}

}  // namespace espalier::internal
