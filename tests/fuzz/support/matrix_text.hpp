// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/mutation.hpp"

namespace espalier::fuzz {

/// A coordinate file of Matrix Market as mutations see it: fields of the banner, sizes, entries.
struct MatrixText {
  struct Entry {
    long row, column;   ///< counted from 1
    std::string value;  ///< empty in a pattern
  };

  std::array<std::string, 4> banner{"matrix", "coordinate", "real", "symmetric"};
  long n = 0;
  std::vector<Entry> entries;
  std::string line_end = "\n";
  std::string comment;    ///< a line before the entries, or none
  std::string size_line;  ///< instead of the true one, where it is not empty
  bool last_line_ends = true;

  bool is_symmetric() const { return banner[3] == "symmetric"; }
  bool has_values() const { return banner[2] != "pattern"; }

  /// Returns what the text holds, where it is such a file of not too many entries, or nothing.
  static std::optional<MatrixText> parse(std::string_view text);
  /// Returns one of order 1 to 60, symmetric and mostly definite: its diagonal is large.
  static MatrixText random(Dice& dice);

  std::string coordinate_file() const;
};

/// Changes the matrix or how it is written, so that most results are well-formed files still.
void mutate(MatrixText& matrix, Dice& dice, std::size_t times);

/// The same matrix as a Harwell-Boeing or Rutherford-Boeing file, in formats that dice choose.
std::string boeing_file(MatrixText matrix, Dice& dice);

/// Returns a coordinate file by mutate() of this one; nothing where bytes shall change at random.
std::optional<std::string> mutated_coordinate_file(std::string_view text, Dice& dice);

}  // namespace espalier::fuzz
