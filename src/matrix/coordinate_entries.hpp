// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "espalier/types.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// One entry of a matrix, counted from 0.
struct CoordinateEntry {
  Index row;
  Index column;
  double value;
};

/// What the line of sizes of a Matrix Market coordinate file announces.
struct CoordinateSizes {
  Count rows = 0, columns = 0, entries = 0;
};

/// One line of such a file.
struct CoordinateLine {
  Count row = 0, column = 0;  ///< counted from 1
  double value = 0;

  /// Whether the line is an entry; else what is here is of no meaning.
  bool parse(std::string_view line, bool has_values) {
    FieldScanner fields(line);
    return fields.integer(row) && fields.integer(column) && (!has_values || fields.real(value)) &&
           fields.at_end();
  }
};

/// Takes the line of sizes. Throws InputError for anything else.
CoordinateSizes read_coordinate_sizes(TextSource& source);

/// Throws InputError where the file is too small for the entries that it announces, with values or
/// without.
void expect_possible(const TextSource& source, const CoordinateSizes& sizes, bool has_values);

/// Returns as many entries as it is reasonable to prepare for.
Count likely_entries(const TextSource& source, const CoordinateSizes& sizes, bool has_values);

/// Reads the entries that follow the line of sizes, one a line between comments and blank lines,
/// and gives them to take() in their order, piece by piece. Rows and columns have to be numbers
/// that Index has. The lines of a piece are parsed by up to eight threads while another one reads
/// on. Throws InputError with the line where one is no entry, has an index out of range or a value
/// that is not finite, and where there are fewer or more entries than announced; take() may have
/// had some by then.
void read_entries(TextSource& source, const CoordinateSizes& sizes, bool has_values,
                  const std::function<void(std::span<const CoordinateEntry>)>& take);

}  // namespace espalier::internal
