// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mapping/local_structure.hpp"
#include "mapping/subtrees.hpp"

namespace espalier {

/// Cuts the forest of a rank's domain as cut_subtrees() does; the shared panels are all above.
SubtreeCut cut_domain(const LocalStructure& structure, std::vector<double> seconds, double limit);

}  // namespace espalier
