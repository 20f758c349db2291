// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// Columns of panel p are [begin[p], begin[p+1]), all of supernode supernode[p].
struct Panels {
  std::vector<Index> begin{0};
  std::vector<Index> supernode;
};

/// Splits each supernode of w columns into ceil(w / panel_width) panels of nearly equal width.
/// Where panel_width is a multiple of 8, so is every width but that of a supernode's last panel.
Panels split(std::span<const Index> supernode_begin, Index panel_width);

}  // namespace espalier
