// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/fortran_format.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>

#include "base/printable.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t most_columns = 1000;  // of a line and of a field; keeps products small
constexpr std::size_t most_steps = 4 * most_columns;  // items and groups, with repetitions
constexpr int deepest_group = 8;

using Field = FixedFormat::Field;

/// Scans the characters of a format and ignores blanks.
class FormatScanner {
 public:
  explicit FormatScanner(std::string_view text) : text_(text) {}

  /// Returns the next character in upper case; 0 at the end.
  char peek() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    if (text_.empty()) return '\0';
    return static_cast<char>(std::toupper(static_cast<unsigned char>(text_.front())));
  }
  char next() {
    const char c = peek();
    if (c != '\0') text_.remove_prefix(1);
    return c;
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    next();
    return true;
  }
  bool at_digit() { return std::isdigit(static_cast<unsigned char>(peek())) != 0; }

  /// Returns the next number if it is at most most_columns; otherwise nothing.
  std::optional<std::size_t> number() {
    peek();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value > most_columns) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

 private:
  std::string_view text_;
};

/// Lays out the fields of one line. Its functions return false if the format cannot be used.
class FormatParser {
 public:
  explicit FormatParser(std::string_view text) : scan_(text) {}

  bool parse(FixedFormat& format) {
    if (!scan_.take('(')) return false;
    const FormatScanner begin = scan_;
    if (!items(0) || line_.empty()) return false;
    format.first = line_;
    scan_ = last_group_.value_or(begin);
    clear();
    if (!items(0) || line_.empty()) return false;
    format.later = line_;
    return true;
  }

 private:
  void clear() {
    line_.clear();
    at_ = 0;
    steps_ = 0;
  }

  /// Parses items up to the parenthesis that ends their group.
  bool items(int depth) {
    while (!scan_.take(')')) {
      if (scan_.take(',') || scan_.take(':')) continue;
      if (!item(depth)) return false;
    }
    return true;
  }

  bool item(int depth) {
    if (++steps_ > most_steps) return false;
    const FormatScanner begin = scan_;
    const bool negative = scan_.take('-');
    const bool has_number = scan_.at_digit();
    const std::optional<std::size_t> number = has_number ? scan_.number() : 1;
    if (!number) return false;
    const char letter = scan_.next();
    if (letter == 'P') {
      is_scaled_ = *number != 0;
      return has_number;
    }
    if (negative) return false;
    switch (letter) {
      case '(':
        if (depth == 0) last_group_ = begin;
        return group(*number, depth + 1);
      case 'X': at_ += *number; return true;
      case 'S':
        if (!scan_.take('P')) scan_.take('S');
        return !has_number;
      case 'B': return !has_number && scan_.take('N');
      case 'I': return fields(*number, false);
      case 'E':
        if (scan_.peek() == 'S' || scan_.peek() == 'N') scan_.next();
        return fields(*number, true);
      case 'D':
      case 'F':
      case 'G': return fields(*number, true);
      default: return false;
    }
  }

  bool group(std::size_t repeat, int depth) {
    if (repeat == 0 || depth > deepest_group) return false;
    const FormatScanner begin = scan_;
    for (std::size_t k = 0; k < repeat; ++k) {
      if (++steps_ > most_steps) return false;
      scan_ = begin;
      if (!items(depth)) return false;
    }
    return true;
  }

  /// Parses w, w.d or w.dEe.
  bool fields(std::size_t repeat, bool is_real) {
    const auto width = scan_.number();
    if (!width || *width == 0 || repeat == 0) return false;
    const auto digits = scan_.take('.') ? scan_.number() : 0;
    if (!digits) return false;
    if (is_real && scan_.take('E') && !scan_.number()) return false;
    if (line_.size() + repeat > most_columns) return false;
    for (std::size_t k = 0; k < repeat; ++k, at_ += *width) {
      line_.push_back({at_, *width, is_real && *digits > 0, is_real && is_scaled_});
    }
    return true;
  }

  FormatScanner scan_;
  std::vector<Field> line_;
  std::size_t at_ = 0;
  std::size_t steps_ = 0;
  bool is_scaled_ = false;  ///< whether the last scale factor was not 0; it holds for later lines
  std::optional<FormatScanner>
      last_group_;  ///< start of the last outermost group, from its count on
};

/// Returns the positions of the words of a line, with the properties of its fields, if a word
/// extends over two fields and there are as many words as fields. Otherwise returns an empty list.
std::vector<Field> words_across(std::string_view line, std::span<const Field> fields) {
  constexpr const char* blanks = " \t";
  const auto is_blank = [&](std::size_t at) { return line[at] == ' ' || line[at] == '\t'; };
  const auto cuts = [&](const Field& field) {
    const std::size_t at = field.begin;
    return at > 0 && at < line.size() && !is_blank(at - 1) && !is_blank(at);
  };
  if (std::ranges::none_of(fields, cuts)) return {};
  std::vector<Field> words;
  for (std::size_t at = line.find_first_not_of(blanks); at < line.size();) {
    if (words.size() == fields.size()) return {};
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(fields[words.size()]);
    words.back().begin = at;
    words.back().width = end - at;
    at = line.find_first_not_of(blanks, end);
  }
  return words.size() == fields.size() ? words : std::vector<Field>();
}

/// Returns the number with a plus instead of the blank that old programs write in an exponent.
std::string with_plus(std::string_view number) {
  std::string text(number);
  const std::size_t letter = text.find_first_of("EeDd");
  if (letter != std::string::npos && letter + 1 < text.size() && text[letter + 1] == ' ') {
    text[letter + 1] = '+';
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

Count FixedFormat::lines_for(Count numbers) const {
  if (numbers == 0) return 0;
  const Count left = std::max<Count>(numbers - std::ssize(first), 0);
  const Count each = std::ssize(later);
  return 1 + left / each + (left % each != 0 ? 1 : 0);
}

std::optional<FixedFormat> parse_fortran_format(std::string_view text) {
  FixedFormat format;
  return FormatParser(text).parse(format) ? std::optional(std::move(format)) : std::nullopt;
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
  if (!parse_real(field, value) && !parse_real(with_plus(field), value)) refuse(field);
  const bool is_name = field.find_first_of("0123456789") == std::string_view::npos;  // such as NaN
  if (value != 0 && !is_name) expect_complete(field);
  return value;
}

void FixedFieldReader::begin_line() {
  end();
  line_ = source_.require_line("the last of the " + content_);
  fields_ = fields_ == nullptr ? &format_.first : &format_.later;
  const Count here = std::min(left_, std::ssize(*fields_));
  left_ -= here;
  words_ = words_across(line_, std::span(*fields_).first(static_cast<std::size_t>(here)));
  used_ = 0;
  at_ = 0;
  if (words_.empty()) return;
  fields_ = &words_;
  has_blanks_ = true;
}

std::string_view FixedFieldReader::next_field() {
  if (fields_ == nullptr || used_ == fields_->size()) begin_line();
  const std::size_t begin = (*fields_)[used_].begin, width = (*fields_)[used_].width;
  expect_blank_before(begin);
  const std::string_view whole = line_.substr(std::min(begin, line_.size()), width);
  const std::string_view field = trimmed(whole);
  if (field.empty()) {
    source_.fail("expected " + std::to_string(fields_->size()) + " " + content_ +
                 " on this line, or all that remain, found " + std::to_string(used_));
  }
  expect_whole(whole, width);
  ++used_;
  at_ = begin + width;
  return field;
}

/// Throws InputError if text stands where the format has blanks, because the format then does not
/// match the numbers.
void FixedFieldReader::expect_blank_before(std::size_t begin) const {
  if (begin == at_ || line_.size() <= at_) return;
  const std::string_view between = trimmed(line_.substr(at_, begin - at_));
  if (between.empty()) return;
  source_.fail("expected blanks before the " + content_ + " that begin at character " +
               std::to_string(begin + 1) + ", found " + quoted(between) +
               "; the format on line 4 does not fit");
}

/// Throws InputError if the last field of a line was cut. Fortran writes numbers flush right, so
/// that the last field of a line is complete. The last field may be short only if numbers are flush
/// left. They are if an earlier field has trailing blanks, or if the very first field does not
/// begin with a blank.
void FixedFieldReader::expect_whole(std::string_view field, std::size_t width) {
  const bool is_short = field.size() < width;
  const bool may_be = has_blanks_ || (is_first_ && field.front() != ' ');
  if (is_short && !may_be) {
    source_.fail("the line ends after " + std::to_string(field.size()) + " of the " +
                 std::to_string(width) + " characters of its last field, " + quoted(field) +
                 "; it was cut");
  }
  has_blanks_ = has_blanks_ || is_short || field.back() == ' ';
  is_first_ = false;
}

/// Throws InputError if the format would change the value of a nonzero number.
void FixedFieldReader::expect_complete(std::string_view field) const {
  const Field& place = (*fields_)[used_ - 1];
  const bool has_point = field.find('.') != std::string_view::npos;
  // A letter or a sign after the first character begins the exponent.
  const bool has_exponent = field.find_first_not_of(".0123456789", 1) != std::string_view::npos;
  if (place.implies_point && !has_point) {
    source_.fail(quoted(field) + " has no decimal point, and by the format on line 4 its last " +
                 "digits are a fraction; write all " + content_ + " with a decimal point");
  }
  if (place.is_scaled && !has_exponent) {
    source_.fail(quoted(field) + " has no exponent, and by the format on line 4 it is divided by " +
                 "a power of ten (P); write all " + content_ + " with an exponent");
  }
}

void FixedFieldReader::end() {
  const std::string_view rest = trimmed(line_.substr(std::min(at_, line_.size())));
  if (rest.empty()) return;
  source_.fail("expected at most " + std::to_string(used_) + " " + content_ +
               " on this line, found " + quoted(rest));
}

void FixedFieldReader::refuse(std::string_view field) const {
  source_.fail("expected " + content_ + " of " + std::to_string((*fields_)[used_ - 1].width) +
               " characters, found " + quoted(field));
}

}  // namespace espalier::internal
