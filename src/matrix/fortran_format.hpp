// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matrix/text_source.hpp"

namespace espalier::internal {

/// The places of the numbers on the lines of a section. Fields may touch each other.
struct FixedFormat {
  struct Field {
    std::size_t begin = 0;  ///< characters before it on its line
    std::size_t width = 0;
    bool implies_point = false;  ///< the last digits of a number without a point are its fraction
    bool is_scaled = false;      ///< a number without an exponent is divided by a power of ten
    bool operator==(const Field&) const = default;
  };

  std::vector<Field> first;  ///< fields of the first line
  std::vector<Field> later;  ///< fields of each line after it

  /// Returns how many lines a section with this many numbers takes.
  Count lines_for(Count numbers) const;
};

/// Returns the places that a Fortran format gives to numbers, or nothing if it has no numbers, has
/// text, or puts one record on several lines. It understands I, E, ES, EN, D, F and G with or
/// without a repeat count, scale factors (P), blanks (X), groups in parentheses, also nested, and
/// passes over the control of signs and blanks (S, SP, SS, BN). Examples: (16I5), (1X,8I9),
/// (1P,5D16.9), (1P3E25.16E3), (3(1P,E24.16)), (2(3I6,1X)). As in Fortran, lines after the first
/// begin again at the last group of the outermost level, if there is one: (1X,2(I5)), and a scale
/// factor holds for all fields after it, also on later lines.
std::optional<FixedFormat> parse_fortran_format(std::string_view text);

/// Reads the numbers of one section, which begins on a new line. A line on which a word lies in two
/// fields is read word by word if it has as many words as numbers: SciPy's hb_write() makes fields
/// narrower than its format says. Throws InputError with the line if
/// a field is no number, a line has too few or too many fields, its last field was cut, or text
/// stands between the fields. The last field may lack blanks at its end if fields before it have
/// some.
///
/// In Fortran 2018 (13.7.2.3, 13.8.5) a format can change what a real number means: the last digits
/// of one without a decimal point are its fraction, and a scale factor divides one without an
/// exponent. Programs that are not in Fortran write 4 for 4.0 under (4E20.12), and Fortran itself
/// writes numbers under (1P,4G20.12) that it reads as tenths. So a number other than zero that its
/// format would change is refused. Blanks in the place of a plus in an exponent are read (1.0E 00).
class FixedFieldReader {
 public:
  /// `content` names the numbers in messages, in the plural; there are `count` of them.
  FixedFieldReader(TextSource& source, FixedFormat format, std::string content, Count count)
      : source_(source), format_(std::move(format)), content_(std::move(content)), left_(count) {}

  Count integer();
  double real();
  /// Throws InputError if more follows on the line of the last number.
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
  Count left_;  ///< numbers on the lines after line_
  std::string_view line_;
  const std::vector<FixedFormat::Field>* fields_ = nullptr;  ///< of line_
  std::vector<FixedFormat::Field> words_;  ///< of line_, where they are its fields
  std::size_t used_ = 0;                   ///< fields of line_ already read
  std::size_t at_ = 0;                     ///< end of the last of them
  bool is_first_ = true;
  bool has_blanks_ = false;  ///< at the ends of fields
};

}  // namespace espalier::internal
