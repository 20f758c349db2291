// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns three digits with a unit from ns to s: "12.3 ms".
std::string readable_seconds(double seconds);

/// Returns three digits with a decimal prefix and the unit: "3.21 Gflop".
std::string readable_amount(double value, std::string_view unit);

/// Returns a number of entries, with three digits from 100 000 on: "30800 entries", "1.90 M
/// entries".
std::string readable_entries(Count count);

/// Returns "1 worker" or "2 workers".
std::string counted(Count count, std::string_view what);

/// Returns a description of the source of predicted times. The arguments are fields of a report or
/// of a choice of costs.
std::string source_of_costs(std::string_view source, std::string_view file, std::string_view date);

}  // namespace espalier::internal
