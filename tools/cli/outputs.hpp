// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "espalier/espalier.hpp"
#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "espalier/types.hpp"
#include "matrix/output_file.hpp"

namespace espalier::internal {

using Folders = OutputFile::Folders;

/// Throws InputError if no file can be created at the path, so that a long run fails early. Does
/// nothing for an empty path.
void expect_creatable(const std::string& path, Folders folders = Folders::expected);

struct NamedPath {
  std::string name;  ///< name of the option, for messages
  std::string path;  ///< may be empty
};

/// Returns whether two paths lead to the same file, even if that file does not exist yet. Returns
/// false for devices and empty paths.
bool same_file(const std::string& a, const std::string& b);

/// Throws UsageError if two of the paths lead to the same file.
void expect_different(const std::vector<NamedPath>& paths);

// Paths of the streams that "-" stands for on a command line.
inline constexpr const char* standard_input = "/dev/stdin";
inline constexpr const char* standard_output = "/dev/stdout";

/// Replaces "-" by the path of the stream.
void name_stream(std::string& path, const char* stream);

/// Throws UsageError if the name of a file of vectors does not end like one of the known formats.
/// Does nothing for an empty path.
void expect_vector_file_name(const std::string& option, const std::string& path);

/// A file for the solution, written block by block. With an empty path nothing is written.
class SolutionFile {
 public:
  SolutionFile(Outputs& outputs, std::string path, Index n, Index count);

  /// Appends entries. The first call creates the file. Throws the same errors as OutputFile.
  void append(std::span<const double> x);

 private:
  Outputs& outputs_;
  std::string path_;
  Index n_;
  Index count_;
  OutputFile* file_ = nullptr;
};

/// Adds a file with the content that `text` returns. With an empty path `text` is not called.
void add_text(Outputs& outputs, const std::string& path, const std::function<std::string()>& text,
              Folders folders = Folders::expected);

/// Adds a file with the ordering of an analysis, as Analysis::save_ordering() writes it. Does
/// nothing for an empty path.
void add_ordering(Outputs& outputs, const std::string& path, const Analysis& analysis);

/// Writes a single file, which appears when it is complete. Does nothing for an empty path.
void write_text(const std::string& path, const std::function<std::string()>& text,
                Folders folders = Folders::expected);

/// Calls `work`. If it fails, writes the report with the status and the message of the failure, so
/// that no report of an earlier run stays, and rethrows the exception. With an empty path no report
/// is written.
void with_failure_report(const std::string& path, const std::function<void()>& work);

/// Runs `work`, then makes its files and the report appear together, and at last calls `tell` to
/// print the summary. `work` fills the report step by step and adds files.
///
/// If `work` fails, only the report appears, with the status and the message. If only the output of
/// `tell` fails, the files stay, because they are complete. In both cases the exception is
/// rethrown. With an empty path no report is written.
void with_report(
    const std::string& path, const std::function<void(Report&, Outputs&)>& work,
    const std::function<void(const Report&)>& tell = [](const Report&) {});

/// The page and the trace of a factorization; each is optional.
class ScheduleFiles {
 public:
  /// With an empty path the file is not written. The folder of the trace is created. Throws
  /// InputError if an output cannot be created.
  ScheduleFiles(const std::string& html, const std::string& trace_folder);

  /// Returns all paths, for expect_different().
  static std::vector<NamedPath> paths(const std::string& html, const std::string& trace_folder);

  bool wanted() const { return !html_.empty() || !trace_.empty(); }
  /// Adds the files. `factorization_begin` is the begin of the schedule, in seconds on the clock of
  /// `phases`.
  void write(Outputs& outputs, const Report& report, const Schedule& schedule, const Phases& phases,
             double factorization_begin) const;

 private:
  std::string html_;
  std::string trace_;
  std::string gantt_;
};

}  // namespace espalier::internal
