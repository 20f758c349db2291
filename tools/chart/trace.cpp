// SPDX-License-Identifier: BSD-3-Clause
#include "chart/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "chart/schedule_sums.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

constexpr double microseconds = 1e6;  ///< the unit of the format
constexpr int phases_row = 0;         ///< workers follow

/// Where an event is shown: ranks are processes.
struct Place {
  Index rank = 0;
  Index row = phases_row;
};

Place place_of(Index worker, const Schedule& schedule) {
  const Index rank = rank_of(worker, schedule);
  return {rank, phases_row + 1 + worker - workers_of_rank(rank, schedule).begin};
}

Json complete_event(const std::string& name, const char* category, Place place, double begin,
                    double end) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", 1 + place.rank},
          {"tid", place.row},
          {"ts", begin * microseconds},
          {"dur", (end - begin) * microseconds}};
}

Json event_of(const TaskRun& task, Place place, double offset) {
  Json event = complete_event(task.kind, "task", place, offset + task.begin, offset + task.end);
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
Json name_event(const char* what, Place place, const std::string& name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", 1 + place.rank},
          {"tid", place.row},
          {"args", {{"name", name}}}};
}

/// Names processes, rows of phases and of workers.
void add_names(Json& events, const std::string& matrix, const Schedule& schedule) {
  const Index ranks = std::max<Index>(1, static_cast<Index>(schedule.first_worker.size()));
  for (Index rank = 0; rank < ranks; ++rank) {
    const std::string which = ranks > 1 ? fmt::format(", rank {}", rank) : "";
    events.push_back(
        name_event("process_name", {rank}, fmt::format("espalier: {}{}", matrix, which)));
    if (rank == 0) events.push_back(name_event("thread_name", {rank}, "phases"));
    const auto [begin, end] = workers_of_rank(rank, schedule);
    for (Index worker = begin; worker < end; ++worker) {
      events.push_back(name_event("thread_name", place_of(worker, schedule),
                                  fmt::format("worker {}", worker - begin)));
    }
  }
}

}  // namespace

std::string chrome_trace(const std::string& matrix, const std::vector<Phase>& phases,
                         const Schedule& schedule, double factorization_begin) {
  Json events = Json::array();
  add_names(events, matrix, schedule);
  for (const Phase& phase : phases) {
    events.push_back(complete_event(phase.name, "phase", {}, phase.begin, phase.end));
  }
  for (const TaskRun& task : schedule.tasks) {
    const auto [begin, end] = workers_of(task, schedule);
    for (Index worker = begin; worker < end; ++worker) {
      events.push_back(event_of(task, place_of(worker, schedule), factorization_begin));
    }
  }
  const Json json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace espalier::internal
