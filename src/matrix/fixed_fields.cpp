// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/fixed_fields.hpp"

#include <cctype>
#include <charconv>

#include "matrix/field_scanner.hpp"

namespace espalier {

namespace {

constexpr std::size_t most_columns = 1000;  // of a line; keeps products of counts small

/// Takes the characters of a format one by one; blanks do not count.
class FormatScanner {
 public:
  explicit FormatScanner(std::string_view text) : text_(text) {}

  char next() {
    skip_blanks();
    if (text_.empty()) return '\0';
    const char c = text_.front();
    text_.remove_prefix(1);
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }

  /// A number, or nothing where none stands here.
  std::optional<std::size_t> number() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value > most_columns) return std::nullopt;
    text_.remove_prefix(end - text_.data());
    return value;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }

  std::string_view text_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::optional<FixedFormat> parse_fortran_format(std::string_view text) {
  FormatScanner scanner(text);
  if (scanner.next() != '(') return std::nullopt;
  std::size_t groups = 1;
  for (;;) {
    const std::size_t repeat = scanner.number().value_or(1);
    const char letter = scanner.next();
    switch (letter) {
      case 'P':  // a scale factor, which is no repeat count
      case ',':
      case '-': break;
      case '(': groups *= repeat; break;
      case 'I':
      case 'E':
      case 'D':
      case 'F':
      case 'G': {
        const FixedFormat format{groups * repeat, scanner.number().value_or(0)};
        const bool usable =
            format.per_line > 0 && format.per_line <= most_columns && format.width > 0;
        return usable ? std::optional(format) : std::nullopt;
      }
      default: return std::nullopt;
    }
    if (groups > most_columns) return std::nullopt;
  }
}

Count FixedFieldReader::integer() {
  const std::string_view field = next_field();
  Count value = 0;
  if (!parse_integer(field, value)) refuse(field);
  return value;
}

double FixedFieldReader::real() {
  const std::string_view field = next_field();
  double value = 0;
  if (!parse_real(field, value)) refuse(field);
  return value;
}

std::string_view FixedFieldReader::next_field() {
  if (line_.empty() || field_ == format_.per_line) {
    line_ = source_.require_line("the last of the " + content_);
    field_ = 0;
  }
  const std::size_t begin = field_ * format_.width;
  const std::string_view field =
      begin < line_.size() ? trimmed(line_.substr(begin, format_.width)) : std::string_view();
  if (field.empty()) {
    source_.fail("expected " + std::to_string(format_.per_line) + " " + content_ +
                 " on this line or those that are left, found " + std::to_string(field_));
  }
  ++field_;
  return field;
}

void FixedFieldReader::refuse(std::string_view field) const {
  source_.fail("expected " + content_ + " of " + std::to_string(format_.width) +
               " characters, found " + quoted(field));
}

}  // namespace espalier
