// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "espalier/language.hpp"

/// \file
/// This header has the two integer types of the interface.

namespace espalier {

/// An Index is the number of a row, a column, a vertex or a supernode, counted from 0, or a number
/// of such things.
using Index = std::int32_t;

/// A Count is a number of entries, operations or bytes, or an offset into them: anything that can
/// pass 2^31.
using Count = std::int64_t;

}  // namespace espalier
