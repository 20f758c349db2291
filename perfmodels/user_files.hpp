// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace espalier {

/// Where this user keeps what was found out about this machine: KIND-HOST.json in
/// $XDG_DATA_HOME/espalier, else in ~/.local/share/espalier; empty where there is neither.
std::string user_file(const std::string& kind);

}  // namespace espalier
