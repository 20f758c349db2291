// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// The function of all codelets for CPUs: StarPU calls it with the data of a task and with a
/// BoundTask as argument. No exception leaves it, which would pass through StarPU and leave its
/// locks taken: it ends the program.
void run_on_cpu(void* buffers[], void* argument) noexcept;

}  // namespace espalier::internal
