// SPDX-License-Identifier: BSD-3-Clause
#include "common/outputs.hpp"

#include <filesystem>

#include "base/caught_error.hpp"
#include "common/signals.hpp"
#include "espalier/espalier.hpp"
#include "matrix/output_file.hpp"

namespace espalier {

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

}  // namespace espalier
