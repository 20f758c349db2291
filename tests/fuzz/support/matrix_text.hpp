// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/mutation.hpp"

namespace espalier::fuzz {

/// A Matrix Market coordinate file as mutations see it: fields of the banner, sizes, entries.
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
  std::string size_line;  ///< replaces the true line unless empty
  bool last_line_ends = true;

  bool is_symmetric() const { return banner[3] == "symmetric"; }
  bool has_values() const { return banner[2] != "pattern"; }

  /// Parses a coordinate file. Returns nothing for other texts, or if the file has too many
  /// entries.
  static std::optional<MatrixText> parse(std::string_view text);
  /// Returns a symmetric matrix of order 1 to 60, which is usually definite because its diagonal is
  /// large.
  static MatrixText random(Dice& dice);

  std::string coordinate_file() const;
};

/// Changes the matrix or its representation. Most results are still well-formed files.
void mutate(MatrixText& matrix, Dice& dice, std::size_t times);

/// Returns the matrix as a Harwell-Boeing or Rutherford-Boeing file in random formats.
std::string boeing_file(MatrixText matrix, Dice& dice);

/// Returns a coordinate file after mutate(), or nothing if libFuzzer should change random bytes.
std::optional<std::string> mutated_coordinate_file(std::string_view text, Dice& dice);

}  // namespace espalier::fuzz
