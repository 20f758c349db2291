// SPDX-License-Identifier: BSD-3-Clause
#include "chart/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "chart/schedule_sums.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

constexpr double microseconds = 1e6;  ///< factor from seconds to the unit of the format
constexpr int phases_row = 0;         ///< the rows of the workers follow

/// Process and row of an event. Each rank is a process.
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
                   {"predicted_us", task.predicted_seconds * microseconds},
                   {"worker", task.worker},
                   {"slices", task.slices},
                   {"on_device", task.on_device}};
  return event;
}

/// Adds the begin and the end of an asynchronous event, because copies in one direction may
/// overlap.
void add_copy(const CopyRun& copy, std::size_t number, double offset, Json& events) {
  Json event{{"name", name_of(direction_of(copy))},
             {"cat", "copy"},
             {"ph", "b"},
             {"id", number},
             {"pid", 1 + copy.rank},
             {"tid", phases_row},
             {"ts", (offset + copy.begin) * microseconds},
             {"args", {{"from", copy.from}, {"to", copy.to}, {"bytes", copy.bytes}}}};
  events.push_back(event);
  event["ph"] = "e";
  event["ts"] = (offset + copy.end) * microseconds;
  event.erase("args");
  events.push_back(std::move(event));
}

/// Names a row or, with "process_name", the whole process.
Json name_event(const char* what, Place place, const std::string& name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", 1 + place.rank},
          {"tid", place.row},
          {"args", {{"name", name}}}};
}

/// Names the processes, the row of phases, and the rows of the workers.
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

/// Returns the data of the schedule other than its tasks.
Json whole(const Schedule& schedule, double factorization_begin) {
  return {{"begin_us", factorization_begin * microseconds},
          {"factorization_us", schedule.seconds * microseconds},
          {"idle_us", schedule.idle_seconds * microseconds},
          {"runtime_us", schedule.runtime_seconds * microseconds},
          {"critical_path_us", schedule.critical_path_seconds * microseconds},
          {"workers", schedule.workers},
          {"first_worker", schedule.first_worker}};
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
  for (std::size_t copy = 0; copy < schedule.copies.size(); ++copy) {
    add_copy(schedule.copies[copy], copy, factorization_begin, events);
  }
  const Json json{{"displayTimeUnit", "ms"},
                  {"otherData", whole(schedule, factorization_begin)},
                  {"traceEvents", std::move(events)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

TaskRun task_of(const Json& event, double offset) {
  const Json& args = event.at("args");
  TaskRun task;
  task.kind = event.at("name");
  task.row = args.at("row");
  task.column = args.at("column");
  task.m = args.at("m");
  task.n = args.at("n");
  task.k = args.at("k");
  task.flops = args.at("flops");
  task.predicted_seconds = args.at("predicted_us").get<double>() / microseconds;
  task.worker = args.at("worker");
  task.slices = args.at("slices");
  task.on_device = args.at("on_device");
  task.begin = event.at("ts").get<double>() / microseconds - offset;
  task.end = task.begin + event.at("dur").get<double>() / microseconds;
  return task;
}

CopyRun copy_begun(const Json& event, double offset) {
  const Json& args = event.at("args");
  CopyRun copy;
  copy.rank = event.at("pid").get<Index>() - 1;
  copy.from = args.at("from");
  copy.to = args.at("to");
  copy.bytes = args.at("bytes");
  copy.begin = event.at("ts").get<double>() / microseconds - offset;
  return copy;
}

/// Adds a copy at its begin event. Its end event follows.
void add_copy(const Json& event, double offset, Schedule& schedule) {
  if (event.at("ph") == "b") {
    schedule.copies.push_back(copy_begun(event, offset));
  } else {
    schedule.copies.back().end = event.at("ts").get<double>() / microseconds - offset;
  }
}

}  // namespace

Schedule schedule_in(const Json& trace) {
  const Json& data = trace.at("otherData");
  const double offset = data.at("begin_us").get<double>() / microseconds;
  Schedule schedule;
  schedule.seconds = data.at("factorization_us").get<double>() / microseconds;
  schedule.idle_seconds = data.at("idle_us").get<double>() / microseconds;
  schedule.runtime_seconds = data.at("runtime_us").get<double>() / microseconds;
  schedule.critical_path_seconds = data.at("critical_path_us").get<double>() / microseconds;
  schedule.workers = data.at("workers");
  schedule.first_worker = data.at("first_worker").get<std::vector<Index>>();
  // a task of several workers has an event for each of them
  std::set<std::pair<Index, double>> known;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") == "copy") add_copy(event, offset, schedule);
    if (event.value("cat", "") != "task") continue;
    const TaskRun task = task_of(event, offset);
    if (task.slices > 1 && !known.insert({task.worker, task.begin}).second) continue;
    schedule.tasks.push_back(task);
  }
  return schedule;
}

}  // namespace espalier::internal
