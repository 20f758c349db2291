// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/text_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t longest_line = std::size_t{1} << 24;

/// Maximum compression of deflate: its densest code copies 258 bytes with two bits (RFC 1951,
/// 3.2.5).
constexpr Count most_inflation = 1032;

/// Usual maximum for numbers as text.
constexpr Count usual_inflation = 16;

gzFile open_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(path + ": there is no such file");
  }
  if (std::filesystem::is_directory(status)) {
    throw InputError(path + ": this is a folder; expected a file");
  }
  errno = 0;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    if (errno == 0 || errno == ENOMEM) throw std::bad_alloc();
    throw InputError(path + ": the file cannot be opened (" +
                     std::generic_category().message(errno) + ")");
  }
  gzbuffer(file, 1u << 17);
  return file;
}

}  // namespace

TextSource::TextSource(std::string path, std::size_t buffer_bytes)
    : path_(std::move(path)), file_(open_file(path_), gzclose_r), buffer_(buffer_bytes) {
  refill();
  skip_byte_order_mark();
  if (begin_ == end_) throw InputError(path_ + ": the file is empty");
  estimate_size();
  std::error_code error;
  if (at_end_of_file_ || !std::filesystem::is_regular_file(path_, error)) return;
  try {
    ahead_ = std::make_unique<ReadAhead>(file_.get());
  } catch (const std::system_error&) {
    // Without a thread, lines are read on demand.
  }
}

void TextSource::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  while (end_ < mark.size() && !at_end_of_file_) refill();
  if (!beginning().starts_with(mark)) return;
  begin_ += mark.size();
  if (begin_ == end_) refill();
}

void TextSource::estimate_size() {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path_, error);
  if (error || !std::filesystem::is_regular_file(path_, error)) {
    most_bytes_ = std::numeric_limits<Count>::max();
    likely_bytes_ = static_cast<Count>(buffer_.size());
    return;
  }
  const bool plain = gzdirect(file_.get()) != 0;
  most_bytes_ = static_cast<Count>(bytes) * (plain ? 1 : most_inflation);
  likely_bytes_ = static_cast<Count>(bytes) * (plain ? 1 : usual_inflation);
}

bool TextSource::next_line_across_buffers(std::string_view& line) {
  const void* newline = nullptr;
  while (newline == nullptr && !at_end_of_file_) {
    const std::size_t searched = refill();
    newline = std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched);
  }
  if (begin_ == end_) return false;
  const char* start = buffer_.data() + begin_;
  if (newline != nullptr) {
    take_line(start, static_cast<const char*>(newline) - start, 1);
  } else {
    take_line(start, end_ - begin_, 0);
  }
  line = line_;
  return true;
}

void TextSource::take_line(const char* start, std::size_t length, std::size_t line_end) {
  line_begin_ = begin_;
  begin_ += length + line_end;
  if (length > 0 && start[length - 1] == '\r') --length;
  line_ = {start, length};
  ++line_number_;
}

bool TextSource::next_lines(std::string_view& lines) {
  std::size_t whole = 0;
  while (true) {
    const std::string_view there(buffer_.data() + begin_, end_ - begin_);
    whole = there.rfind('\n') + 1;  // 0 if there is none: npos + 1
    if (whole == 0 && at_end_of_file_) whole = there.size();
    if (whole > 0 || at_end_of_file_) break;
    refill();
  }
  lines = {buffer_.data() + begin_, whole};
  begin_ += whole;
  return whole > 0;
}

bool TextSource::next_data_line(std::string_view& line) {
  while (next_line(line)) {
    if (!is_blank_or_comment(line)) return true;
  }
  return false;
}

std::string_view TextSource::require_line(const std::string& what) {
  std::string_view line;
  if (!next_line(line)) fail("the file ends here, before " + what);
  return line;
}

std::string_view TextSource::require_data_line(const std::string& what) {
  std::string_view line;
  if (!next_data_line(line)) fail("the file ends here, before " + what);
  return line;
}

void TextSource::unread_line() {
  begin_ = line_begin_;
  --line_number_;
}

void TextSource::fail(const std::string& reason) const {
  throw InputError(path_ + ", line " + std::to_string(line_number_) + ": " + reason);
}

/// Moves the text that was not given yet to the front of the buffer, and fills the rest. Returns
/// the length of the moved text, where the new bytes begin.
std::size_t TextSource::refill() {
  std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    shorten_comment();
    if (end_ >= longest_line) {
      ++line_number_;
      fail("a line of more than " + std::to_string(longest_line) +
           " bytes: this is not a text file");
    }
    if (end_ == buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), longest_line));
  }
  const std::size_t wanted = buffer_.size() - end_;
  ReadFailure failure;
  char* const to = buffer_.data() + end_;
  const std::size_t got =
      ahead_ ? ahead_->read(to, wanted, failure) : read_some(file_.get(), to, wanted, failure);
  require_sound_data(failure);
  const std::size_t before = end_;
  end_ += got;
  at_end_of_file_ = got < wanted;
  return before;
}

/// Shortens a comment that does not fit into the buffer, and keeps only its first bytes.
void TextSource::shorten_comment() {
  constexpr std::size_t kept = 4096;
  if (end_ < longest_line) return;
  const std::string_view line = beginning().substr(0, kept);
  if (is_blank_or_comment(line) && line.find('%') != std::string_view::npos) end_ = kept;
}

void TextSource::require_sound_data(const ReadFailure& failure) {
  if (failure.code == Z_OK) return;
  if (failure.code == Z_MEM_ERROR) throw std::bad_alloc();
  const std::string where =
      line_number_ == 0 ? path_ : path_ + ", after line " + std::to_string(line_number_);
  if (failure.code == Z_ERRNO) {
    throw InputError(where + ": the file cannot be read (" +
                     std::generic_category().message(failure.error_number) + ")");
  }
  std::string_view reason = failure.reason;  // zlib begins it with the name of the file
  if (reason.starts_with(path_ + ": ")) reason.remove_prefix(path_.size() + 2);
  throw InputError(where + ": truncated or damaged gzip data (" + std::string(reason) + ")");
}

namespace {

bool is_sign(char c) { return c == '+' || c == '-'; }
bool is_exponent_letter(char c) { return c == 'e' || c == 'E' || c == 'd' || c == 'D'; }

/// Drops a leading plus, which std::from_chars() does not accept.
std::string_view without_plus(std::string_view text) {
  const bool drop = text.size() > 1 && text[0] == '+' && !is_sign(text[1]);
  return drop ? text.substr(1) : text;
}

/// Rewrites a Fortran exponent (D, or a sign without a letter) as e.
std::string with_c_exponent(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool after_digits =
        !result.empty() && (result.back() == '.' || (result.back() >= '0' && result.back() <= '9'));
    if (after_digits && is_sign(c)) result += 'e';
    result += after_digits && is_exponent_letter(c) ? 'e' : c;
  }
  return result;
}

template <typename T>
std::errc parse_whole(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return stop == text.data() + text.size() ? error : std::errc::invalid_argument;
}

}  // namespace

bool parse_integer(std::string_view text, Count& value) {
  const std::errc error = parse_whole(without_plus(text), value);
  if (error == std::errc::result_out_of_range) {
    using Limits = std::numeric_limits<Count>;
    value = text.front() == '-' ? Limits::min() : Limits::max();
    return true;
  }
  return error == std::errc();
}

bool parse_real(std::string_view text, double& value) {
  const std::string_view plain = without_plus(text);
  std::errc error = parse_whole(plain, value);
  if (error == std::errc()) return true;
  const std::string rewritten = with_c_exponent(plain);
  error = parse_whole(rewritten, value);
  if (error != std::errc::result_out_of_range) return error == std::errc();
  // long double separates too large from too small numbers. If a number does not even fit into long
  // double, the sign of its exponent decides.
  long double wide = 0;
  if (parse_whole(rewritten, wide) == std::errc()) {
    value = static_cast<double>(wide);
  } else {
    const bool tiny = rewritten.find("e-") != std::string::npos;
    value = std::copysign(tiny ? 0 : std::numeric_limits<double>::infinity(),
                          rewritten.starts_with('-') ? -1 : 1);
  }
  return true;
}

}  // namespace espalier::internal
