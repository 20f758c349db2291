// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "compare/program_run.hpp"

namespace espalier::internal {

// Solvers that are separate programs. The policy of a case is the name of such a solver if it
// computes the case instead of this program.
inline constexpr const char* cholmod = "CHOLMOD";
inline constexpr std::array<const char*, 4> all_peers{cholmod, "MUMPS", "PaStiX", "PARDISO"};

/// Returns whether a policy is the name of such a solver.
bool is_peer(std::string_view policy);

/// Returns the reason why CHOLMOD cannot run here, or an empty text.
std::string why_no_cholmod();

/// Solvers on this machine.
struct Peers {
  std::vector<const char*> found;
  /// Sentences about the missing programs; empty if none is missing.
  std::string missing;
};
Peers peers_here();

/// Returns the case for a solver. It gets the ordering in the variable ORDERING, but may use
/// another one.
RunCase peer_case(const char* name, const std::string& ordering, Index threads);

/// Runs a solver with one thread per worker and returns a report with its times, under the names
/// that a report of `solve` has for them: the median of its factorizations, and its analysis as the
/// ordering. Throws RuntimeFailure if the process cannot be started.
ProgramRun run_peer(const RunCase& what, const RunMode& mode);

}  // namespace espalier::internal
