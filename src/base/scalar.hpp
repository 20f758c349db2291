// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Size of a cache line, the same for all caches, in bytes.
inline constexpr Count cache_line = 64;

/// Type of the entries of a matrix, its factor and its vectors, as far as memory, transfers and
/// predictions need it.
struct Scalar {
  Count bytes;         ///< size of an entry
  double flop_factor;  ///< real operations per operation on entries, on average
  const char* name;    ///< the name in files

  constexpr Count bytes_of(Count entries) const { return entries * bytes; }
  constexpr Index entries_of_line() const { return static_cast<Index>(cache_line / bytes); }
  /// Rounds up to whole cache lines.
  constexpr Count in_whole_lines(Count entries) const {
    const Count line = entries_of_line();
    return (entries + line - 1) / line * line;
  }
};

/// The scalar type of all factorizations.
inline constexpr Scalar scalar{sizeof(double), 1, "double"};

}  // namespace espalier::internal
