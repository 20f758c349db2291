// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "espalier/types.hpp"
#include "matrix/output_file.hpp"

namespace espalier::internal {

using Folders = OutputFile::Folders;

/// Throws InputError when no file can be made at the path: before long work, not after it. Does
/// nothing for an empty path.
void expect_creatable(const std::string& path, Folders folders = Folders::expected);

struct NamedPath {
  std::string name;  ///< for the message
  std::string path;  ///< may be empty
};

/// Throws UsageError when two of the paths lead to the same file, be it there or not.
void expect_different(const std::vector<NamedPath>& paths);

// The names that the system has for the streams, which "-" stands for on a command line.
inline constexpr const char* standard_input = "/dev/stdin";
inline constexpr const char* standard_output = "/dev/stdout";

/// Puts the name of the stream in the place of "-".
void name_stream(std::string& path, const char* stream);

/// Throws UsageError where the name of a file of vectors does not say in which format it is. Does
/// nothing for an empty path.
void expect_vector_file_name(const std::string& option, const std::string& path);

/// A solution, written while its vectors come block by block. Without a path nothing is written.
class SolutionFile {
 public:
  SolutionFile(Outputs& outputs, std::string path, Index n, Index count);

  /// Appends entries; the first ones make the file. Throws as OutputFile.
  void append(std::span<const double> x);

 private:
  Outputs& outputs_;
  std::string path_;
  Index n_;
  Index count_;
  OutputFile* file_ = nullptr;
};

/// Adds a file of what `text` returns; does not even call it for an empty path.
void add_text(Outputs& outputs, const std::string& path, const std::function<std::string()>& text,
              Folders folders = Folders::expected);

/// Has a single file appear. Does nothing for an empty path.
void write_text(const std::string& path, const std::function<std::string()>& text,
                Folders folders = Folders::expected);

/// Runs `work`, which fills the report as it learns and adds files, then has these and the report
/// appear together, and calls `tell`, as what is told on standard output is true then. After a
/// failure the report alone appears, with its status and message; if standard output alone cannot
/// be written to, the files stay, which are complete. The failure is thrown on. An empty path says
/// that no report is wanted.
void with_report(
    const std::string& path, const std::function<void(Report&, Outputs&)>& work,
    const std::function<void(const Report&)>& tell = [](const Report&) {});

/// The page and the trace of a factorization, those of them that are wanted.
class ScheduleFiles {
 public:
  /// An empty path says that its file is not wanted; the folder of the trace is made with it.
  /// Throws InputError where nothing can be written.
  ScheduleFiles(const std::string& html, const std::string& trace_folder);

  /// Returns all paths for expect_different().
  static std::vector<NamedPath> paths(const std::string& html, const std::string& trace_folder);

  bool wanted() const { return !html_.empty() || !trace_.empty(); }
  /// Adds the files. The schedule began at `factorization_begin`, by the clock of the phases.
  void write(Outputs& outputs, const Report& report, const Schedule& schedule, const Phases& phases,
             double factorization_begin) const;

 private:
  std::string html_;
  std::string trace_;
  std::string gantt_;
};

}  // namespace espalier::internal
