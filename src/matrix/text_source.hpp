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

/// Whether a line is blank or a comment (%).
inline bool is_blank_or_comment(std::string_view line) {
  if (!line.empty() && line[0] > '%') return false;
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '%';
}

/// The lines of a text file, plain or gzipped whatever its name, read through one small buffer.
/// Lines end with LF or CR LF; the last one may lack its end. A byte-order mark of UTF-8 at the
/// front is skipped. Of a comment of over 16 MiB the first characters are given. A thread of its
/// own reads on in files that do not fit into the buffer, but for pipes and devices, whose end may
/// never come.
class TextSource {
 public:
  /// Throws InputError where there is no such file or nothing in it.
  explicit TextSource(std::string path, std::size_t buffer_bytes = std::size_t{1} << 20);

  /// The next line without its end, valid until the next call; false after the last one.
  /// Throws InputError on damaged gzip data and on lines that no text file has.
  bool next_line(std::string_view& line) {
    const char* start = buffer_.data() + begin_;
    const void* newline = std::memchr(start, '\n', end_ - begin_);
    if (newline == nullptr) return next_line_across_buffers(line);
    take_line(start, static_cast<const char*>(newline) - start, 1);
    line = line_;
    return true;
  }

  /// Gives all whole lines that there are in the buffer, one at least, with their ends, valid until
  /// the next call; false after the last one. They do not count for fail() before count_lines().
  bool next_lines(std::string_view& lines);
  void count_lines(Count lines) { line_number_ += lines; }

  /// The next line that is not blank and no comment (%); false at the end.
  bool next_data_line(std::string_view& line);

  /// Return what next_line() and next_data_line() give, but the end of the file is an InputError
  /// that says before what it came.
  std::string_view require_line(const std::string& what);
  std::string_view require_data_line(const std::string& what);

  /// Makes next_line give the last line once more.
  void unread_line();

  const std::string& path() const { return path_; }

  /// Text at the front of the file, as much as fits into the buffer. Call it before any line is
  /// taken.
  std::string_view beginning() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// The bytes of text that can come at most, from the size of the file, so that a reader need not
  /// believe what a header announces.
  Count most_bytes() const { return most_bytes_; }

  /// The bytes of text that it is reasonable to prepare for; more may come.
  Count likely_bytes() const { return likely_bytes_; }

  /// Throws InputError "PATH, line N: REASON" for the last line given.
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
  std::unique_ptr<ReadAhead> ahead_;  ///< null where the file is read when it is asked for
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< what of the buffer has been read but not given
  std::size_t line_begin_ = 0;
  std::string_view line_;
  Count line_number_ = 0;
  Count most_bytes_ = 0, likely_bytes_ = 0;
  bool at_end_of_file_ = false;
};

/// Takes the lines of a text from top to bottom, without their ends.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// False after the last one.
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
  /// The next one that is not blank and no comment; false after the last one.
  bool next_data(std::string_view& line) {
    while (next(line)) {
      if (!is_blank_or_comment(line)) return true;
    }
    return false;
  }
  /// How many lines there were so far.
  Count lines() const { return lines_; }

 private:
  const char* at_;
  const char* end_;
  Count lines_ = 0;
};

/// Whether the whole text is an integer, with or without sign; one beyond Count becomes its limit.
bool parse_integer(std::string_view text, Count& value);

/// Whether the whole text is a real number as C or Fortran writes it: 1.5, -.5, +2, 1e-3, 1.D+03,
/// 1.234-101, inf, nan. Beyond the range of double it becomes infinity or a denormal or zero.
bool parse_real(std::string_view text, double& value);

/// Takes the fields of one line from left to right; they are separated by blanks and tabs.
class FieldScanner {
 public:
  explicit FieldScanner(std::string_view line)
      : at_(line.data()), end_(line.data() + line.size()) {}

  bool at_end() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    return at_ == end_;
  }

  /// The next field, empty at the end.
  std::string_view word() {
    if (at_end()) return {};
    const char* start = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Whether the next field is a number, which it takes; otherwise the scanner is of no more use.
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
