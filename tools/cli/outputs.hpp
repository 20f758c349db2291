// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "launch/signals.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/output_file.hpp"

namespace espalier::internal {

/// Throws InputError when no file can be made at the path: before long work, not after it. Does
/// nothing for an empty path.
void expect_creatable(const std::string& path);

struct NamedPath {
  std::string name;  ///< for the message
  std::string path;  ///< may be empty
};

/// Throws UsageError when two of the paths lead to the same file, be it there or not.
void expect_different(const std::vector<NamedPath>& paths);

/// Writes vectors that were computed, interruptibly.
void write_solution(const std::string& path, const DenseVectors& x);

/// The same file, written while solutions come block by block, which a signal removes. Without a
/// path nothing is written.
class SolutionFile {
 public:
  SolutionFile(std::string path, Index n, Index count);

  /// Appends entries; the first ones make the file. Throws as OutputFile.
  void append(std::span<const double> x);
  /// Has the file appear under its name.
  void commit();

 private:
  void open();

  std::string path_;
  Index n_;
  Index count_;
  std::mutex opening_;
  std::string temporary_;  ///< the path of the file as long as it is not complete
  std::optional<OutputFile> file_;
  std::optional<SignalEnding> ending_;
};

/// Writes what `text` returns, interruptibly; does not even call it for an empty path.
void write_text(const std::string& path, const std::function<std::string()>& text);

/// Runs `work`, which fills the report as it learns, and writes the report to the path, if any:
/// after a failure too, then with its status and message. The failure is thrown on.
void with_report(const std::string& path, const std::function<void(Report&)>& work);

/// A folder for output files, made with its parents where it is missing. Those that were made and
/// are empty in the end, after a failure, are removed.
class OutputFolder {
 public:
  /// Does nothing for an empty path. Throws InputError where the folder cannot be made.
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< innermost first
};

/// The page and the trace of a factorization, those of them that are wanted.
class ScheduleFiles {
 public:
  /// Makes the folder of the trace. An empty path says that its file is not wanted. Throws
  /// InputError where nothing can be written.
  ScheduleFiles(const std::string& html, const std::string& trace_folder);

  /// Returns all paths for expect_different().
  static std::vector<NamedPath> paths(const std::string& html, const std::string& trace_folder);

  bool wanted() const { return !html_.empty() || !trace_.empty(); }
  /// The schedule began at `factorization_begin`, by the clock of the phases.
  void write(const Report& report, const Schedule& schedule, const Phases& phases,
             double factorization_begin) const;

 private:
  std::string html_;
  std::string trace_;
  std::string gantt_;
  OutputFolder folder_;
};

}  // namespace espalier::internal
