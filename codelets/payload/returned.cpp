// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/payload/returned.hpp"

namespace espalier::internal {

AcceleratorResult returned_for(const starpu_task& task, const BoundTask& /*bound*/) {
  if (task.cl_ret == nullptr) return {};
  return {static_cast<const double*>(task.cl_ret), task.cl_ret_size / sizeof(double)};
}

}  // namespace espalier::internal
