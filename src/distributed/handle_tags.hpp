// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

// Tags of the messages of NumericFactor::submit_beside(). The engine adds the direction to them, so
// both directions may use the same tag.
inline constexpr Index tag_of_values = 0;  ///< values of A
inline constexpr Index tag_of_status = 1;  ///< results of a factorization

}  // namespace espalier::internal
