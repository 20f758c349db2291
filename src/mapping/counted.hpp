// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "espalier/error.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the number of `things` of a factorization, by which they are numbered. Throws UsageError
/// if it is above `most`, because numbers of them would not fit into an Index.
inline Index counted(std::size_t number, const char* things,
                     Index most = std::numeric_limits<Index>::max()) {
  if (number <= static_cast<std::size_t>(most)) return static_cast<Index>(number);
  throw UsageError("the factorization would have " + std::to_string(number) + " " + things +
                   ", more than " + std::to_string(most) + "; choose a coarser granularity");
}

}  // namespace espalier::internal
