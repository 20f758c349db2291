// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "compare/comparison.hpp"

namespace espalier {

/// All comparisons as one page: times, the table, and the charts of each policy's fastest run.
std::string page_of(std::span<const Comparison> comparisons);

}  // namespace espalier
