// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matrix/text_source.hpp"

namespace espalier::internal {

/// Positions of the numbers on the lines of a section. Fields may touch each other.
struct FixedFormat {
  struct Field {
    std::size_t begin = 0;  ///< number of characters before it on its line
    std::size_t width = 0;
    bool implies_point = false;  ///< the last digits of a number without a point are its fraction
    bool is_scaled = false;      ///< a number without an exponent is divided by a power of ten
    bool operator==(const Field&) const = default;
  };

  std::vector<Field> first;  ///< fields of the first line
  std::vector<Field> later;  ///< fields of each later line

  /// Returns the number of lines of a section with this many numbers.
  Count lines_for(Count numbers) const;
};

/// Returns the positions of the numbers in a Fortran format. Returns nothing if the format has no
/// numbers, has text, or spreads a record over several lines.
///
/// It understands I, E, ES, EN, D, F and G with or without a repeat count, scale factors (P),
/// blanks (X), and groups in parentheses, which may be nested. It ignores the descriptors for signs
/// and blanks (S, SP, SS, BN). Examples: (16I5), (1X,8I9), (1P,5D16.9), (1P3E25.16E3),
/// (3(1P,E24.16)), (2(3I6,1X)).
///
/// As in Fortran, later lines begin again at the last group of the outermost level, if there is
/// one: (1X,2(I5)). A scale factor holds for all fields after it, also on later lines.
std::optional<FixedFormat> parse_fortran_format(std::string_view text);

/// Reads the numbers of one section, which begins on a new line.
///
/// If a word extends over two fields, and the line has as many words as numbers, the line is read
/// by words. Files of SciPy's hb_write() need this, because their fields are narrower than their
/// format declares. The last field of a line may lack trailing blanks if earlier fields have some.
///
/// Throws InputError with the line number if a field is not a number, if a line has too few or too
/// many fields, if its last field was cut, or if text stands between the fields.
///
/// In Fortran 2018 (13.7.2.3, 13.8.5) a format can change the value of a real number. If the number
/// has no decimal point, its last digits are a fraction. If it has no exponent, a scale factor
/// divides it by a power of ten. Programs in other languages write 4 for 4.0 under (4E20.12).
/// Fortran itself writes numbers under (1P,4G20.12) that it would read back as a tenth of their
/// value. Therefore the reader refuses a nonzero number whose value the format would change. The
/// reader accepts a blank instead of the plus in an exponent (1.0E 00).
class FixedFieldReader {
 public:
  /// `content` is the plural name of the numbers in messages; `count` is how many there are.
  FixedFieldReader(TextSource& source, FixedFormat format, std::string content, Count count)
      : source_(source), format_(std::move(format)), content_(std::move(content)), left_(count) {}

  Count integer();
  double real();
  /// Throws InputError if text follows the last number on its line.
  void end();

 private:
  void begin_line();
  void expect_whole(std::string_view field, std::size_t width);
  void expect_blank_before(std::size_t begin) const;
  std::string_view next_field();
  void expect_complete(std::string_view field) const;
  [[noreturn]] void refuse(std::string_view field) const;

  TextSource& source_;
  FixedFormat format_;
  std::string content_;
  Count left_;  ///< numbers on lines after line_
  std::string_view line_;
  const std::vector<FixedFormat::Field>* fields_ = nullptr;  ///< of line_
  std::vector<FixedFormat::Field> words_;  ///< fields of line_ if it is read by words
  std::size_t used_ = 0;                   ///< fields of line_ already read
  std::size_t at_ = 0;                     ///< end of the last field read
  bool is_first_ = true;
  bool has_blanks_ = false;  ///< some field has trailing blanks
};

}  // namespace espalier::internal
