// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <string>
#include <string_view>

#include "espalier/types.hpp"
#include "matrix/pending_file.hpp"

struct gzFile_s;

namespace espalier::internal {

/// A text file that appears under its name only when it is complete; see PendingFile. A name that
/// ends in .gz is compressed.
class OutputFile {
 public:
  using Folders = PendingFile::Folders;
  using Kept = PendingFile::Kept;

  /// Throws InputError where no file can be made at `path`.
  explicit OutputFile(std::string path, Folders folders = Folders::expected,
                      Kept kept = Kept::without_name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Returns the path as the user gave it.
  const std::string& path() const { return path_; }

  // All of these throw RuntimeFailure when the data cannot be written, as to a full disk.

  void text(std::string_view text);
  void integer(Count value);
  void real(double value);  ///< the shortest text that reads back as the same bits
  /// Has everything on the disk; nothing may be added after that.
  void finish();
  /// Finishes the file and has it appear.
  void commit();

 private:
  friend class Outputs;
  void flush();
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;  ///< as the user gave it, for messages
  PendingFile file_;
  gzFile_s* writer_ = nullptr;  ///< null once it is finished
  std::string buffer_;
};

/// The files that a run makes, which appear together in the end, or not at all.
class Outputs {
 public:
  Outputs() = default;
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// Throws InputError where no file can be made. The file lives as long as this.
  OutputFile& add(const std::string& path,
                  OutputFile::Folders folders = OutputFile::Folders::expected);
  /// Finishes all and has them appear. Throws RuntimeFailure where one cannot; then there is none
  /// of those that are new.
  void commit();

 private:
  std::list<OutputFile> files_;
};

}  // namespace espalier::internal
