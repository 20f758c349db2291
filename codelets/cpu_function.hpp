// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// The CPU function of all codelets. StarPU calls it with the data of a task and a BoundTask as
/// argument. An exception ends the program, because it would otherwise pass through StarPU and
/// leave StarPU's locks held.
void run_on_cpu(void* buffers[], void* argument) noexcept;

/// The same for a TaskBatch.
void run_batch_on_cpu(void* buffers[], void* argument) noexcept;

/// The same for a BoundTask whose data StarPU does not know; see OrderedTask.
void run_ordered_on_cpu(void* buffers[], void* argument) noexcept;

}  // namespace espalier::internal
