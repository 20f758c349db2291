// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <string>
#include <string_view>

#include "espalier/types.hpp"
#include "matrix/pending_file.hpp"

struct gzFile_s;

namespace espalier::internal {

/// Text file that appears under its name only when it is complete; see PendingFile. It is
/// compressed if its name ends in .gz.
class OutputFile {
 public:
  using Folders = PendingFile::Folders;
  using Kept = PendingFile::Kept;

  /// Throws InputError if the file cannot be created.
  explicit OutputFile(std::string path, Folders folders = Folders::expected,
                      Kept kept = Kept::without_name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Returns the path that the user gave.
  const std::string& path() const { return path_; }

  // The functions below throw RuntimeFailure if the data cannot be written, for example on a full
  // disk.

  void text(std::string_view text);
  void integer(Count value);
  void real(double value);  ///< writes the shortest text that reads back as the same bits
  /// Writes all data to the disk. Nothing may be added afterwards.
  void finish();
  /// Finishes the file and makes it appear.
  void commit();

 private:
  friend class Outputs;
  void flush();
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;  ///< as given by the user, for messages
  PendingFile file_;
  gzFile_s* writer_ = nullptr;  ///< null after finish()
  std::string buffer_;
};

/// Output files of a run, which appear together at its end, or not at all.
class Outputs {
 public:
  Outputs() = default;
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// Throws InputError if the file cannot be created. The returned file lives as long as this
  /// object.
  OutputFile& add(const std::string& path,
                  OutputFile::Folders folders = OutputFile::Folders::expected);
  /// Finishes all files and makes them appear. Throws RuntimeFailure if one cannot appear; then
  /// none of the new files remains.
  void commit();

 private:
  std::list<OutputFile> files_;
};

}  // namespace espalier::internal
