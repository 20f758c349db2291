// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "compare/program_run.hpp"

namespace espalier::internal {

/// Policy of cases that CHOLMOD computes instead of this program.
inline constexpr const char* cholmod = "CHOLMOD";

/// Returns the reason why CHOLMOD cannot run here, or an empty text.
std::string why_no_cholmod();

/// Runs CHOLMOD with one thread per worker and returns a report with its times, under the names
/// that a report of `solve` has for them: the median of its factorizations, and its analysis as the
/// ordering. Throws RuntimeFailure if the process cannot be started.
ProgramRun run_cholmod(const RunCase& what, const RunMode& mode);

}  // namespace espalier::internal
