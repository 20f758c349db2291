// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "espalier/error.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns `number`, the number of `things` of a factorization, as an Index. Throws UsageError if
/// it is above `most`, because the things could then not be numbered with an Index.
inline Index counted(std::size_t number, const char* things,
                     Index most = std::numeric_limits<Index>::max()) {
  if (number <= static_cast<std::size_t>(most)) return static_cast<Index>(number);
  throw UsageError("the factorization would have " + std::to_string(number) + " " + things +
                   ", more than " + std::to_string(most) + "; choose a coarser granularity");
}

}  // namespace espalier::internal
