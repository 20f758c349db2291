// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/field_scanner.hpp"

#include <string>

namespace espalier {

namespace {

bool is_sign(char c) { return c == '+' || c == '-'; }
bool is_exponent_letter(char c) { return c == 'e' || c == 'E' || c == 'd' || c == 'D'; }

/// Drops a leading plus, which std::from_chars does not take.
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
  // The wider type tells too large from too small; what passes even that is one or the other by the
  // sign of its exponent.
  long double wide = 0;
  if (parse_whole(rewritten, wide) == std::errc()) {
    value = static_cast<double>(wide);
  } else {
    const bool tiny = rewritten.find("e-") != std::string::npos;
    value = tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  return true;
}

}  // namespace espalier
