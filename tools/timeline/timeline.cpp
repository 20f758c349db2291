// SPDX-License-Identifier: BSD-3-Clause
// A library that draws the tasks of any StarPU program, one row per worker. StarPU loads it if
// STARPU_PROF_TOOL names it, and calls it before and after each task.
#include <fmt/format.h>
#include <starpu.h>
#include <starpu_profiling_tool.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/task_kind.hpp"
#include "chart/charts.hpp"
#include "chart/page.hpp"

namespace espalier::internal {

namespace {

constexpr const char* variable = "ESPALIER_TIMELINE";

/// Ends the program, because StarPU cannot catch an exception.
[[noreturn]] void refuse(const std::string& reason) {
  std::fprintf(stderr, "timeline: %s\n", reason.c_str());
  std::_Exit(2);
}

/// Tasks of this process, in the order in which each worker ran them. Each worker writes only its
/// own list.
std::array<std::vector<TaskRun>, STARPU_NMAXWORKERS> tasks_of;

/// Returns the file for the chart. Ends the program if the file cannot be written.
std::string file_of_chart() {
  const char* const file = std::getenv(variable);
  if (file == nullptr) refuse(fmt::format("set {} to the file for the chart", variable));
  if (!std::ofstream(file)) {
    refuse(fmt::format("{}: cannot be written; set {} to another file", file, variable));
  }
  return file;
}

/// Returns the name of the current task. Tasks of the solver have the symbols of their kinds in
/// StarPU.
std::string name_of_task() {
  const starpu_task& task = *starpu_task_get_current();
  const char* const name = task.name != nullptr ? task.name : task.cl->name;
  if (name == nullptr) return "unnamed";
  for (const TaskKindTraits& kind : task_kind_table) {
    if (std::string_view(kind.symbol) == name) return std::string(kind.name);
  }
  return name;
}

void begin_task(starpu_prof_tool_info*, starpu_prof_tool_event_info*, starpu_prof_tool_api_info*) {
  TaskRun task;
  task.kind = name_of_task();
  task.worker = static_cast<Index>(starpu_worker_get_id_check());
  task.begin = steady_seconds();
  tasks_of.at(static_cast<std::size_t>(task.worker)).push_back(std::move(task));
}

void end_task(starpu_prof_tool_info*, starpu_prof_tool_event_info*, starpu_prof_tool_api_info*) {
  tasks_of.at(starpu_worker_get_id_check()).back().end = steady_seconds();
}

/// Returns all tasks, with times since the start of the first one.
Schedule recorded() {
  Schedule schedule;
  double first = std::numeric_limits<double>::infinity();
  for (const std::vector<TaskRun>& tasks : tasks_of) {
    if (tasks.empty()) continue;
    first = std::min(first, tasks.front().begin);
    schedule.workers = tasks.front().worker + 1;
    schedule.tasks.insert(schedule.tasks.end(), tasks.begin(), tasks.end());
  }
  for (TaskRun& task : schedule.tasks) {
    task.begin -= first;
    task.end -= first;
    schedule.seconds = std::max(schedule.seconds, task.end);
  }
  return schedule;
}

void write_chart(starpu_prof_tool_info*, starpu_prof_tool_event_info*, starpu_prof_tool_api_info*) {
  const std::string file = file_of_chart();
  const Schedule schedule = recorded();
  if (schedule.tasks.empty()) refuse("StarPU has run no task, so there is no chart");
  std::ofstream out(file);
  out << gantt_chart(schedule, "Tasks of a StarPU program", schedule.seconds, provenance(),
                     "the first task");
  if (!out.flush()) refuse(fmt::format("{}: cannot be written; free space on the disk", file));
}

}  // namespace

}  // namespace espalier::internal

extern "C" {

/// StarPU calls this function when it starts.
__attribute__((visibility("default"))) void starpu_prof_tool_library_register(
    starpu_prof_tool_entry_register_func add, starpu_prof_tool_entry_register_func /*remove*/) {
  using namespace espalier::internal;
  file_of_chart();
  const auto command = starpu_prof_tool_command_reg;
  add(starpu_prof_tool_event_start_cpu_exec, begin_task, command);
  add(starpu_prof_tool_event_start_gpu_exec, begin_task, command);
  add(starpu_prof_tool_event_end_cpu_exec, end_task, command);
  add(starpu_prof_tool_event_end_gpu_exec, end_task, command);
  add(starpu_prof_tool_event_terminate, write_chart, command);
}

}  // extern "C"
