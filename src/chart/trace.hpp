// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"

namespace espalier::internal {

/// A part of a run of the program, in seconds since its start.
struct Phase {
  std::string name;
  double begin = 0;
  double end = 0;
};

/// Returns the run in Chrome's trace format (complete events), which Perfetto and chrome://tracing
/// open: one row with the phases, one a worker with its tasks, and asynchronous events for copies
/// to and from devices; a process a rank. The schedule began at `factorization_begin`.
std::string chrome_trace(const std::string& matrix, const std::vector<Phase>& phases,
                         const Schedule& schedule, double factorization_begin);

/// Returns the schedule of such a trace; times have lost what is below the clock's precision.
Schedule schedule_in(const nlohmann::ordered_json& trace);

}  // namespace espalier::internal
