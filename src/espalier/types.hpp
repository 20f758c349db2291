// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "espalier/language.hpp"

/// \file
/// The two integer types of the interface.

namespace espalier {

/// Number of a row, a column, a vertex or a supernode, counted from 0, or a quantity of these. It
/// has 32 bits.
using Index = std::int32_t;

/// Quantity of entries, operations or bytes, or an offset into them, which may exceed 2^31. It has
/// 64 bits.
using Count = std::int64_t;

}  // namespace espalier
