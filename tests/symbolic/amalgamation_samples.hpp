// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "espalier/options.hpp"

namespace espalier {

/// From no merge at all to one supernode a tree.
inline std::vector<std::pair<std::string, AmalgamationOptions>> amalgamation_samples() {
  constexpr Index any_width = std::numeric_limits<Index>::max();
  return {
      {"no amalgamation", {{0, 0, 0, 0}, {0, 0, 0, 0}}},
      {"no explicit zeros", {{any_width, 0, 0, 0}, {0, 0, 0, 0}}},
      {"up to 4 columns", {{4, 0, 0, 0}, {1, 0, 0, 0}}},
      {"defaults", {}},
      {"half zeros", {{any_width, 0, 0, 0}, {0.5, 0, 0, 0}}},
      {"all zeros", {{any_width, 0, 0, 0}, {1, 0, 0, 0}}},
  };
}

}  // namespace espalier
