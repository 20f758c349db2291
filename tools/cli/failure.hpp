// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/error.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The largest backward error of a solution that counts as one.
inline constexpr double accepted_error = 1e-10;

/// The result "not positive definite", which ends the program as an error does.
struct NotPositiveDefinite : Error {
  NotPositiveDefinite(const std::string& matrix, Index column);
  /// It is counted from 1, as people and the file formats count.
  Index column;
};

}  // namespace espalier::internal
