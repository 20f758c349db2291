// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// Returns the least number of letters to insert, drop or replace, and of neighbours to exchange,
/// that makes one text of the other, where no piece is changed twice: the restricted distance of
/// Damerau (Communications of the ACM 7, 1964). Capitals count as small letters. Cost O(a b).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns "did you mean lws? " for a name that is not known but near one that is, and all of those
/// where several are equally near: "did you mean laplace2d or laplace3d? ". Near is at most a
/// change for each three letters of the shorter name, and at most three changes; where that is
/// nothing, or more than three names, it returns nothing.
std::string did_you_mean(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace espalier::internal
