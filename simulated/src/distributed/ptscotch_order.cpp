// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/ptscotch.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

std::vector<Index> ptscotch_places(const Communicator& /*comm*/, const GraphPart& /*part*/) {
  throw UsageError("PT-Scotch does not run in a simulation; choose another --ordering");
}

}  // namespace espalier::internal
