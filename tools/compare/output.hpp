// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "compare/comparison.hpp"

namespace espalier::internal {

/// Returns what was factored, and on what, in one line.
std::string heading_of(const Comparison& comparison);

/// A line a policy with its figures, for people.
std::string table_of(const Comparison& comparison);

/// A line a run, with a line of names on top.
std::string csv_of(std::span<const Comparison> comparisons);

/// All that is known, the schedule of each policy's fastest run included.
std::string json_of(std::span<const Comparison> comparisons);

/// All comparisons as one page: times, the table, and the charts of each policy's fastest run.
std::string page_of(std::span<const Comparison> comparisons);

}  // namespace espalier::internal
