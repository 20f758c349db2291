// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace stand_in {

/// Returns the value of an environment variable, or `otherwise` if it is not set.
std::size_t number(const char* variable, std::size_t otherwise);
std::string text(const char* variable, const char* otherwise);

}  // namespace stand_in
