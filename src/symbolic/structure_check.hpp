// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/panel_structure.hpp"

/// Invariants that several structures share. A check throws std::logic_error with the first broken
/// invariant.
namespace espalier::internal {

/// Throws std::logic_error unless the condition holds. The message consists of the parts.
template <typename... Parts>
void expect(bool condition, const Parts&... parts) {
  if (condition) return;
  std::ostringstream message;
  (message << ... << parts);
  throw std::logic_error(message.str());
}

/// Checks offsets: `parts` ranges must tile [0, end), each at least `least` long.
template <typename Offset>
void check_offsets(const std::string& name, const std::vector<Offset>& begin, std::size_t parts,
                   Count end, Count least) {
  expect(begin.size() == parts + 1, name, " has ", begin.size(), " offsets, not ", parts + 1);
  expect(begin.front() == 0, name, " starts at ", begin.front(), ", not at 0");
  for (std::size_t i = 0; i < parts; ++i) {
    expect(begin[i + 1] - begin[i] >= least, name, " goes from ", begin[i], " to ", begin[i + 1],
           " at ", i);
  }
  expect(begin.back() == end, name, " ends at ", begin.back(), ", not at ", end);
}

/// Checks offsets and rows of `supernodes` supernodes: own columns first, all rows ascending and
/// inside the matrix.
void check_supernodes(const PanelStructure& structure, std::size_t supernodes);

/// Checks the parent of each supernode. The first row below the diagonal block must face the
/// parent, and the parent must have all rows below this block.
void check_tree(const PanelStructure& structure, std::span<const Index> parents);

/// Checks panels, their blocks, and the lists of facing blocks. The supernodes must be valid.
void check_panels(const PanelStructure& structure);

}  // namespace espalier::internal
