// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <limits>
#include <string_view>

#include "espalier/types.hpp"

namespace espalier {

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

}  // namespace espalier
