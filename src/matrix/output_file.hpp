// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "espalier/types.hpp"

struct gzFile_s;

namespace espalier::internal {

/// A text file that appears under its name only when it is complete: until commit() it is a
/// temporary file in the same folder, which the destructor removes. An existing device or pipe is
/// written to directly. A name that ends in .gz is compressed.
class OutputFile {
 public:
  /// Throws InputError where no file can be made at `path`.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Returns the path of the temporary file, or nothing.
  const std::string& temporary() const { return temporary_; }

  // All of these throw RuntimeFailure when the data cannot be written, as to a full disk.

  void text(std::string_view text);
  void integer(Count value);
  void real(double value);  ///< the shortest text that reads back as the same bits
  void commit();

 private:
  void open();
  void flush();
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;       ///< as the user gave it, for messages
  std::string target_;     ///< where the file shall be, links resolved
  std::string temporary_;  ///< empty where the target is written to directly
  gzFile_s* file_ = nullptr;
  std::string buffer_;
};

}  // namespace espalier::internal
