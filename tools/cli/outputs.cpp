// SPDX-License-Identifier: BSD-3-Clause

#include "cli/outputs.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/caught_error.hpp"
#include "base/printable.hpp"
#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/trace.hpp"
#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "launch/standard_streams.hpp"
#include "matrix/dense_vectors.hpp"
#include "ordering/ordering_file.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

void describe_failure(Report& report) {
  const CaughtError failure = current_error();
  if (failure.code != ErrorCode::not_positive_definite) {
    report.status = "error";
  } else if (report.status == "ok") {
    report.status = "not_positive_definite";
  }
  report.message = failure.message;
}

/// As with_failure_report(), with the facts that the report already has.
void call_and_report(const std::string& path, Report& report, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    describe_failure(report);
    try {
      write_text(path, [&] { return to_json(report); });
    } catch (const Error&) {
      // Report the first failure, not this one.
    }
    throw;
  }
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (a.empty() || b.empty() || fs::is_character_file(a, error)) return false;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) && !error;
}

void expect_creatable(const std::string& path, Folders folders) {
  if (path == standard_output && is_output_closed()) {
    throw RuntimeFailure("standard output is closed; open it, or name a file");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.empty() ||
      (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))) {
    return;  // a device or a pipe may be opened only once
  }
  const OutputFile probe(path, folders);
}

void expect_different(const std::vector<NamedPath>& paths) {
  for (auto later = paths.begin(); later != paths.end(); ++later) {
    for (auto earlier = paths.begin(); earlier != later; ++earlier) {
      if (!same_file(earlier->path, later->path)) continue;
      throw UsageError(earlier->name + " and " + later->name + " are the same file, " +
                       later->path + "; give them different names");
    }
  }
}

void name_stream(std::string& path, const char* stream) {
  if (path == "-") path = stream;
}

void expect_vector_file_name(const std::string& option, const std::string& path) {
  if (path.empty() || is_vector_file_name(path)) return;
  throw UsageError("the name of the file of " + option + " must end in " + vector_file_endings +
                   ", but is " + internal::quoted(path));
}

SolutionFile::SolutionFile(Outputs& outputs, std::string path, Index n, Index count)
    : outputs_(outputs), path_(std::move(path)), n_(n), count_(count) {}

void SolutionFile::append(std::span<const double> x) {
  if (path_.empty()) return;
  if (file_ == nullptr) {
    file_ = &outputs_.add(path_);
    begin_vectors(*file_, n_, count_);
  }
  add_entries(*file_, x);
}

void add_text(Outputs& outputs, const std::string& path, const std::function<std::string()>& text,
              Folders folders) {
  if (!path.empty()) outputs.add(path, folders).text(text());
}

void add_ordering(Outputs& outputs, const std::string& path, const Analysis& analysis) {
  if (!path.empty()) write_ordering(outputs.add(path), analysis.separator_tree());
}

void write_text(const std::string& path, const std::function<std::string()>& text,
                Folders folders) {
  Outputs outputs;
  add_text(outputs, path, text, folders);
  outputs.commit();
}

void with_failure_report(const std::string& path, const std::function<void()>& work) {
  Report report;
  call_and_report(path, report, work);
}

void with_report(const std::string& path, const std::function<void(Report&, Outputs&)>& work,
                 const std::function<void(const Report&)>& tell) {
  expect_creatable(path);
  Report report;
  call_and_report(path, report, [&] {
    Outputs outputs;
    work(report, outputs);
    add_text(outputs, path, [&] { return to_json(report); });
    outputs.commit();
  });
  call_and_report(path, report, [&] {
    tell(report);
    flush_standard_output();
  });
}

namespace {

std::string trace_file(const std::string& folder) {
  return folder.empty() ? "" : folder + "/trace.json";
}

std::string gantt_file(const std::string& folder) {
  return folder.empty() ? "" : folder + "/gantt.svg";
}

}  // namespace

ScheduleFiles::ScheduleFiles(const std::string& html, const std::string& trace_folder)
    : html_(html), trace_(trace_file(trace_folder)), gantt_(gantt_file(trace_folder)) {
  expect_creatable(html_);
  for (const std::string& path : {trace_, gantt_}) expect_creatable(path, Folders::made);
}

std::vector<NamedPath> ScheduleFiles::paths(const std::string& html,
                                            const std::string& trace_folder) {
  return {{"--html", html},
          {"--trace", trace_file(trace_folder)},
          {"--trace", gantt_file(trace_folder)}};
}

void ScheduleFiles::write(Outputs& outputs, const Report& report, const Schedule& schedule,
                          const Phases& phases, double factorization_begin) const {
  const std::string title = report.matrix.name + " with " + report.scheduler.active;
  const auto trace = [&] {
    return chrome_trace(report.matrix.name, phases.ended(), schedule, factorization_begin);
  };
  const auto gantt = [&] { return gantt_chart(schedule, title, schedule.seconds, provenance()); };
  add_text(outputs, trace_, trace, Folders::made);
  add_text(outputs, gantt_, gantt, Folders::made);
  add_text(outputs, html_, [&] { return to_html(report, schedule); });
}

}  // namespace espalier::internal
