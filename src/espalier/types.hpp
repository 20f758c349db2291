// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace espalier {

/// A row, column, vertex or supernode number, 0-based.
using Index = std::int32_t;

/// A number of entries, operations or bytes, or an offset into them: anything that can pass 2^31.
using Count = std::int64_t;

}  // namespace espalier
