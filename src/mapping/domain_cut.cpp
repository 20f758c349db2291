// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/domain_cut.hpp"

#include <algorithm>
#include <limits>

namespace espalier {

SubtreeCut cut_domain(const LocalStructure& structure, std::vector<double> seconds, double limit) {
  std::fill(seconds.begin() + structure.shared_begin, seconds.end(),
            std::numeric_limits<double>::infinity());
  return cut_subtrees(structure, seconds, limit);
}

}  // namespace espalier
