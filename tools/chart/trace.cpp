// SPDX-License-Identifier: BSD-3-Clause
#include "chart/trace.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chart/schedule_sums.hpp"

namespace espalier {

namespace {

using Json = nlohmann::ordered_json;

constexpr double microseconds = 1e6;  ///< the unit of the format
constexpr int phases_row = 0;         ///< workers follow

Json complete_event(const std::string& name, const char* category, Index row, double begin,
                    double end) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", 1},
          {"tid", row},
          {"ts", begin * microseconds},
          {"dur", (end - begin) * microseconds}};
}

Json event_of(const TaskRun& task, Index worker, double offset) {
  Json event = complete_event(task.kind, "task", phases_row + 1 + worker, offset + task.begin,
                              offset + task.end);
  event["args"] = {{"row", task.row},
                   {"column", task.column},
                   {"m", task.m},
                   {"n", task.n},
                   {"k", task.k},
                   {"flops", task.flops},
                   {"predicted_us", task.predicted_seconds * microseconds}};
  return event;
}

/// Names a row, or with "process_name" the whole.
Json name_event(const char* what, Index row, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", row}, {"args", {{"name", name}}}};
}

}  // namespace

std::string chrome_trace(const std::string& matrix, const std::vector<Phase>& phases,
                         const Schedule& schedule, double factorization_begin) {
  Json events = Json::array();
  events.push_back(name_event("process_name", phases_row, "espalier: " + matrix));
  events.push_back(name_event("thread_name", phases_row, "phases"));
  for (Index worker = 0; worker < schedule.workers; ++worker) {
    events.push_back(
        name_event("thread_name", phases_row + 1 + worker, fmt::format("worker {}", worker)));
  }
  for (const Phase& phase : phases) {
    events.push_back(complete_event(phase.name, "phase", phases_row, phase.begin, phase.end));
  }
  for (const TaskRun& task : schedule.tasks) {
    const auto [begin, end] = workers_of(task, schedule);
    for (Index worker = begin; worker < end; ++worker) {
      events.push_back(event_of(task, worker, factorization_begin));
    }
  }
  const Json json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace espalier
