// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Use of a piece of data by a task. Tasks that `add` to the same piece run in any order, one at a
/// time.
enum class AccessMode : std::uint8_t { read, write, read_write, add };

struct Access {
  Index data;  ///< number of the piece of data in the list of tasks
  AccessMode mode;
};

}  // namespace espalier::internal
