// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier {

/// Coprocessors are other processes that run tasks for this one: StarPU's TCP/IP master-slave mode.
/// Whether StarPU was built with it.
bool coprocessors_supported();

/// Whether the environment makes this process a coprocessor of another one.
bool is_coprocessor();

/// Runs tasks for that process until it has done with StarPU. StarPU then ends this process; the
/// function returns only by throwing RuntimeFailure, where StarPU did not start.
[[noreturn]] void serve_as_coprocessor();

}  // namespace espalier
