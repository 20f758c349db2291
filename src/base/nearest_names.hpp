// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// Returns the restricted distance of Damerau (Communications of the ACM 7, 1964) of two texts: the
/// minimum number of letters to insert, delete or replace, and of neighbours to exchange, if no
/// piece is changed twice. Case is ignored. Cost O(a b).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns "did you mean lws? " for an unknown name that is close to a known one. If several names
/// are equally close, it returns all: "did you mean laplace2d or laplace3d? ". Close means at most
/// one change per three letters of the shorter name, and at most three changes. Returns an empty
/// text if no name is close, or more than three are.
std::string did_you_mean(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace espalier::internal
