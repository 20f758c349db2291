// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "matrix/load.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// How numbers stand on the lines of a section: fields of equal width that may touch.
struct FixedFormat {
  std::size_t per_line = 0, width = 0;
};

/// Understands Fortran formats of one repeated edit descriptor, I, E, D, F or G, with or without a
/// scale factor: (16I5), (4E20.12), (1P,5D16.9), (1P3E25.16E3), (3(F10.2)). Nothing for others.
std::optional<FixedFormat> parse_fortran_format(std::string_view text);

/// Reads the numbers of one section, which begins on a new line. What is no number, a line with too
/// few or too many fields, or a last field that was cut, is an InputError with its line. A last
/// field may lack blanks at its end where fields before it have some, too. Numbers are taken as
/// they are written: a scale factor or an implied decimal point changes none.
class FixedFieldReader {
 public:
  /// `content` names the numbers in messages, in the plural.
  FixedFieldReader(TextSource& source, FixedFormat format, std::string content)
      : source_(source), format_(format), content_(std::move(content)) {}

  Count integer();
  double real();
  /// Throws InputError where more follows on the line of the last number.
  void end();

 private:
  void expect_whole(std::string_view field);
  std::string_view next_field();
  [[noreturn]] void refuse(std::string_view field) const;

  TextSource& source_;
  FixedFormat format_;
  std::string content_;
  std::string_view line_;
  std::size_t field_ = 0;  ///< fields of line_ already read
  bool is_first_ = true;
  bool has_blanks_ = false;  ///< at the ends of fields
};

/// Reads a Harwell-Boeing or Rutherford-Boeing file (Duff, Grimes, Lewis, "Sparse matrix test
/// problems", ACM TOMS 15, 1989; "The Rutherford-Boeing sparse matrix collection", 1997): assembled
/// matrices with real or integer values or none, symmetric (xSA), or unsymmetric by their type but
/// symmetric in fact (xUA). Right-hand sides in the file are passed over.
/// Throws InputError for other types, and with the line where the file is not that, or its header
/// counts other lines than there are.
SparseMatrix read_harwell_boeing(TextSource& source, Values values, InputNotes& notes);

}  // namespace espalier::internal
