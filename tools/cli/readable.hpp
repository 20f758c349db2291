// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace espalier::internal {

/// Returns three digits with a unit from ns to s: "12.3 ms".
std::string readable_seconds(double seconds);

}  // namespace espalier::internal
