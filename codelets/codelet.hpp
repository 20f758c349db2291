// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "base/dense.hpp"
#include "codelets/task_list.hpp"

namespace espalier::internal {

/// Maximum number of pieces of data of one task.
inline constexpr std::size_t most_data_of_task = std::size_t{1} << 22;

/// Returns a piece of a task's data from the buffer that StarPU passes to the task's function. For
/// StarPU, a large piece has a single column, and one element of this column holds a whole row; see
/// StarpuMatrix.
inline MatrixView view_of(void* buffer) {
  const std::size_t joined = STARPU_MATRIX_GET_ELEMSIZE(buffer) / sizeof(double);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): StarPU keeps addresses as numbers
  return {reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)),
          static_cast<Index>(STARPU_MATRIX_GET_NX(buffer)),
          static_cast<Index>(STARPU_MATRIX_GET_NY(buffer) * joined),
          static_cast<Count>(STARPU_MATRIX_GET_LD(buffer))};
}

/// Returns memory nodes for the data of a task, for starpu_codelet::dyn_nodes. All codelets share
/// them. StarPU 1.4 reads one node per piece of data, although it ignores the values unless the
/// codelet has specific nodes. A codelet itself has space for only STARPU_NMAXBUFS nodes.
int* unused_memory_nodes();

/// Returns StarPU's codelet for a task kind. The argument of its tasks is a BoundTask, and they
/// have any number of matrix handles. The object lives as long as the program.
starpu_codelet* codelet(TaskKind kind);

/// Returns the codelet for batches whose last task has this kind. The argument of its tasks is a
/// TaskBatch.
starpu_codelet* batch_codelet(TaskKind kind);

/// Returns the codelet for tasks whose data StarPU does not know. The argument of its tasks is a
/// BoundTask, and the argument of their callback an OrderedTask.
starpu_codelet* ordered_codelet(TaskKind kind);

/// Returns the codelet for a kind that accelerators can also run. The argument of its tasks is a
/// TaskPayload with its message.
starpu_codelet* accelerated_codelet(TaskKind kind);

}  // namespace espalier::internal
