// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace espalier::internal {

/// Returns the command line of this process as a shell would accept it, cut after `most` bytes.
/// Returns an empty text if the system does not tell it.
std::string command_line(std::size_t most = 500);

}  // namespace espalier::internal
