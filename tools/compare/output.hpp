// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "compare/comparison.hpp"

namespace espalier::internal {

/// Returns one line with the matrix, the analysis and the workers.
std::string heading_of(const Comparison& comparison);

/// Returns the table for the terminal, one line per policy.
std::string table_of(const Comparison& comparison);

/// Returns one line per run, after a header line.
std::string csv_of(std::span<const Comparison> comparisons);

/// Returns all results, with the schedule of each policy's fastest run.
std::string json_of(std::span<const Comparison> comparisons);

/// Returns a page with all comparisons: times, tables, and charts of each policy's fastest run.
std::string page_of(std::span<const Comparison> comparisons);

}  // namespace espalier::internal
