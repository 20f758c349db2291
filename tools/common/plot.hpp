// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace espalier {

/// Runs a script of tools/plot, which needs python3 and matplotlib, and waits for it. Throws
/// RuntimeFailure where it is not found or fails; the script itself says on stderr what is missing.
void run_plot(const std::string& script, const std::vector<std::string>& arguments);

}  // namespace espalier
