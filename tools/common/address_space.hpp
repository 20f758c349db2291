// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier {

/// Throws MemoryError when this many workers and more bytes do not fit under the limit on the
/// address space (ulimit -v), if there is one. Behind that limit StarPU aborts for a thread that it
/// cannot start, and OpenBLAS tries for ever to get the buffer of a thread.
void expect_address_space(Index workers, Count bytes);

}  // namespace espalier
