// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/read_ahead.hpp"

struct gzFile_s;

namespace espalier::internal {

/// Returns whether a line is blank or a comment (%).
inline bool is_blank_or_comment(std::string_view line) {
  if (!line.empty() && line[0] > '%') return false;
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '%';
}

/// Lines of a text file, plain or gzipped regardless of its name, read through a small buffer.
/// Lines end with LF or CR LF; the last line may have no end. A UTF-8 byte-order mark at the front
/// is skipped. A comment of more than 16 MiB is shortened. A separate thread reads ahead if the
/// file does not fit into the buffer, except for pipes and devices, because their end may never
/// come.
class TextSource {
 public:
  /// Throws InputError if the file does not exist or is empty.
  explicit TextSource(std::string path, std::size_t buffer_bytes = std::size_t{1} << 20);

  /// Sets `line` to the next line without its end, valid until the next call. Returns false after
  /// the last line. Throws InputError for damaged gzip data, and for lines that are too long for
  /// text.
  bool next_line(std::string_view& line) {
    const char* start = buffer_.data() + begin_;
    const void* newline = std::memchr(start, '\n', end_ - begin_);
    if (newline == nullptr) return next_line_across_buffers(line);
    take_line(start, static_cast<const char*>(newline) - start, 1);
    line = line_;
    return true;
  }

  /// Sets `lines` to all complete lines in the buffer, at least one, with their ends, valid until
  /// the next call. Returns false after the last line. fail() counts them only after count_lines().
  bool next_lines(std::string_view& lines);
  void count_lines(Count lines) { line_number_ += lines; }

  /// Like next_line(), but skips blank lines and comments (%).
  bool next_data_line(std::string_view& line);

  /// Return the next line like next_line() and next_data_line(). Throw InputError at the end of the
  /// file; the argument names the missing part.
  std::string_view require_line(const std::string& what);
  std::string_view require_data_line(const std::string& what);

  /// Makes next_line() return the last line again.
  void unread_line();

  const std::string& path() const { return path_; }

  /// Returns the text at the front of the file that fits into the buffer. Call it before reading
  /// any line.
  std::string_view beginning() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Returns an upper bound on the bytes of text, computed from the size of the file. Readers use
  /// it to check the numbers in a header.
  Count most_bytes() const { return most_bytes_; }

  /// Returns the bytes of text for which to reserve memory; more may come.
  Count likely_bytes() const { return likely_bytes_; }

  /// Throws InputError "PATH, line N: REASON" for the last line that was read.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  bool next_line_across_buffers(std::string_view& line);
  void take_line(const char* start, std::size_t length, std::size_t line_end);
  void estimate_size();
  void skip_byte_order_mark();
  std::size_t refill();
  void shorten_comment();
  void require_sound_data(const ReadFailure& failure);

  using File = std::unique_ptr<gzFile_s, int (*)(gzFile_s*)>;

  std::string path_;
  File file_;
  std::unique_ptr<ReadAhead> ahead_;  ///< null if the file is read on demand
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< range of the buffer that was read but not given
  std::size_t line_begin_ = 0;
  std::string_view line_;
  Count line_number_ = 0;
  Count most_bytes_ = 0, likely_bytes_ = 0;
  bool at_end_of_file_ = false;
};

/// Scans the lines of a text, without their ends.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Returns false after the last line.
  bool next(std::string_view& line) {
    if (at_ == end_) return false;
    const void* const newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    const char* const stop = newline != nullptr ? static_cast<const char*>(newline) : end_;
    line = {at_, static_cast<std::size_t>(stop - at_)};
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = newline != nullptr ? stop + 1 : end_;
    ++lines_;
    return true;
  }
  /// Skips blank lines and comments. Returns false after the last line.
  bool next_data(std::string_view& line) {
    while (next(line)) {
      if (!is_blank_or_comment(line)) return true;
    }
    return false;
  }
  /// Returns the number of lines so far.
  Count lines() const { return lines_; }

 private:
  const char* at_;
  const char* end_;
  Count lines_ = 0;
};

/// Parses an integer, with or without sign. Returns whether the whole text is one. A number outside
/// the range of Count becomes its limit.
bool parse_integer(std::string_view text, Count& value);

/// Parses a real number in the notation of C or Fortran: 1.5, -.5, +2, 1e-3, 1.D+03, 1.234-101,
/// inf, nan. Returns whether the whole text is one. Numbers outside the range of double become
/// infinity, a denormal or zero.
bool parse_real(std::string_view text, double& value);

/// Scans the fields of one line, which are separated by blanks and tabs.
class FieldScanner {
 public:
  explicit FieldScanner(std::string_view line)
      : at_(line.data()), end_(line.data() + line.size()) {}

  bool at_end() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    return at_ == end_;
  }

  /// Returns the next field; empty at the end.
  std::string_view word() {
    if (at_end()) return {};
    const char* start = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Parse the next field. Return whether it is a number; if not, the scanner cannot be used any
  /// more.
  bool integer(Count& value) {
    if (at_end()) return false;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || !is_field_end(stop)) return parse_integer(word(), value);
    at_ = stop;
    return true;
  }
  bool real(double& value) {
    if (at_end()) return false;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || !is_field_end(stop)) return parse_real(word(), value);
    at_ = stop;
    return true;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  bool is_field_end(const char* at) const { return at == end_ || is_blank(*at); }

  const char* at_;
  const char* end_;
};

}  // namespace espalier::internal
