// SPDX-License-Identifier: BSD-3-Clause
#include "common/schedule_files.hpp"

#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/trace.hpp"

namespace espalier {

namespace {

std::string trace_file(const std::string& folder) {
  return folder.empty() ? "" : folder + "/trace.json";
}

std::string gantt_file(const std::string& folder) {
  return folder.empty() ? "" : folder + "/gantt.svg";
}

}  // namespace

ScheduleFiles::ScheduleFiles(const std::string& html, const std::string& trace_folder)
    : html_(html),
      trace_(trace_file(trace_folder)),
      gantt_(gantt_file(trace_folder)),
      folder_(trace_folder) {
  for (const std::string& path : {html_, trace_, gantt_}) expect_creatable(path);
}

std::vector<NamedPath> ScheduleFiles::paths(const std::string& html,
                                            const std::string& trace_folder) {
  return {{"--html", html},
          {"--trace", trace_file(trace_folder)},
          {"--trace", gantt_file(trace_folder)}};
}

void ScheduleFiles::write(const Report& report, const Schedule& schedule, const Phases& phases,
                          double factorization_begin) const {
  const std::string title = report.matrix.name + " with " + report.scheduler.active;
  write_text(trace_, [&] {
    return chrome_trace(report.matrix.name, phases.ended(), schedule, factorization_begin);
  });
  write_text(gantt_, [&] { return gantt_chart(schedule, title, schedule.seconds); });
  write_text(html_, [&] { return run_page(report, schedule); });
}

}  // namespace espalier
