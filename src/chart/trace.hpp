// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"

namespace espalier::internal {

/// A phase of a program run, in seconds since the start of the program.
struct Phase {
  std::string name;
  double begin = 0;
  double end = 0;
};

/// Returns the run in Chrome's trace format (complete events), which Perfetto and chrome://tracing
/// open. Each rank is a process. It has one row for the phases, one row per worker with its tasks,
/// and asynchronous events for copies to and from devices. The schedule began at
/// `factorization_begin`.
std::string chrome_trace(const std::string& matrix, const std::vector<Phase>& phases,
                         const Schedule& schedule, double factorization_begin);

/// Returns the schedule of such a trace. Its times are rounded to the precision of the trace.
Schedule schedule_in(const nlohmann::ordered_json& trace);

}  // namespace espalier::internal
