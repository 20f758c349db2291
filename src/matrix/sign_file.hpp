// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Reads n signs, each 1 or -1, from a file in one of the formats of right-hand sides; in plain
/// text, one per line. Throws InputError if the file has another number of values or another value;
/// the message names the row.
std::vector<signed char> read_signs(const std::string& path, Index n);

}  // namespace espalier::internal
