// SPDX-License-Identifier: BSD-3-Clause

#include "cli/outputs.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/caught_error.hpp"
#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/trace.hpp"
#include "espalier/error.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

void describe_failure(Report& report) {
  const CaughtError failure = current_error();
  const bool result = failure.code == ErrorCode::not_positive_definite;
  report.status = result ? "not_positive_definite" : "error";
  report.message = failure.message;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (a.empty() || b.empty() || fs::is_character_file(a, error)) return false;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) && !error;
}

}  // namespace

void expect_creatable(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.empty() ||
      (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))) {
    return;  // a device or a pipe must be opened only once
  }
  const OutputSection section;
  const OutputFile probe(path);
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

void write_solution(const std::string& path, const DenseVectors& x) {
  const OutputSection section;
  write_vectors(path, x);
}

SolutionFile::SolutionFile(std::string path, Index n, Index count)
    : path_(std::move(path)), n_(n), count_(count) {}

/// A signal that comes before the file is there waits for it, so that none is left.
void SolutionFile::open() {
  ending_.emplace([this](int signal) {
    const std::lock_guard lock(opening_);
    unlink(temporary_.c_str());
    return usual_ending(signal);
  });
  const std::lock_guard lock(opening_);
  file_.emplace(path_);
  temporary_ = file_->temporary();
}

void SolutionFile::append(std::span<const double> x) {
  if (path_.empty()) return;
  const OutputSection section;
  if (!file_) {
    open();
    begin_vectors(*file_, n_, count_);
  }
  add_entries(*file_, x);
}

void SolutionFile::commit() {
  if (!file_) return;
  const OutputSection section;
  file_->commit();
}

void write_text(const std::string& path, const std::function<std::string()>& text) {
  if (path.empty()) return;
  const std::string content = text();
  const OutputSection section;
  OutputFile file(path);
  file.text(content);
  file.commit();
}

void with_report(const std::string& path, const std::function<void(Report&)>& work) {
  expect_creatable(path);
  Report report;
  try {
    work(report);
  } catch (...) {
    describe_failure(report);
    try {
      write_text(path, [&] { return to_json(report); });
    } catch (const Error&) {
      // The first failure is the one to tell.
    }
    throw;
  }
  write_text(path, [&] { return to_json(report); });
}

namespace fs = std::filesystem;

OutputFolder::OutputFolder(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  for (fs::path folder = whole; !fs::exists(folder, error); folder = folder.parent_path()) {
    if (folder.has_filename()) made_.push_back(folder);
  }
  fs::create_directories(whole, error);
  if (!error && !fs::is_directory(whole, error)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) throw InputError(path + ": the folder cannot be made (" + error.message() + ")");
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  for (const fs::path& folder : made_) fs::remove(folder, error);
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

}  // namespace espalier::internal
