// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/panel_structure.hpp"

/// The invariants that structures have in common. A check throws std::logic_error naming the first
/// that is broken.
namespace espalier::internal {

/// Throws unless the condition holds; the message is made of the parts.
template <typename... Parts>
void expect(bool condition, const Parts&... parts) {
  if (condition) return;
  std::ostringstream message;
  (message << ... << parts);
  throw std::logic_error(message.str());
}

/// Offsets: `parts` ranges that tile [0, end), none shorter than `least`.
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

/// Offsets and rows of so many supernodes: own columns first, all ascending, none outside.
void check_supernodes(const PanelStructure& structure, std::size_t supernodes);

/// `parents` of the supernodes are what their first rows below face, and hold all rows below.
void check_tree(const PanelStructure& structure, std::span<const Index> parents);

/// Panels, their blocks, and the lists of what faces them; supernodes must be right.
void check_panels(const PanelStructure& structure);

}  // namespace espalier::internal
