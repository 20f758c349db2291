// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "espalier/types.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// An entry of a matrix, with 0-based indices.
struct CoordinateEntry {
  Index row;
  Index column;
  double value;
};

/// Sizes in the header line of a Matrix Market coordinate file.
struct CoordinateSizes {
  Count rows = 0, columns = 0, entries = 0;
};

/// A line with an entry in such a file.
struct CoordinateLine {
  Count row = 0, column = 0;  ///< 1-based
  double value = 0;

  /// Parses a line. Returns whether it is an entry; if not, the fields are undefined.
  bool parse(std::string_view line, bool has_values) {
    FieldScanner fields(line);
    return fields.integer(row) && fields.integer(column) && (!has_values || fields.real(value)) &&
           fields.at_end();
  }
};

/// Reads the line of sizes. Throws InputError if the next line is something else.
CoordinateSizes read_coordinate_sizes(TextSource& source);

/// Throws InputError if the file is too small for the number of entries that it announces.
void expect_possible(const TextSource& source, const CoordinateSizes& sizes, bool has_values);

/// Returns the number of entries for which to reserve memory: the announced number, limited by the
/// likely size of the text.
Count likely_entries(const TextSource& source, const CoordinateSizes& sizes, bool has_values);

/// Reads the entries after the line of sizes, one per line. Comments and blank lines may stand
/// between them. Passes the entries in order, piece by piece, to take(). The numbers of rows and
/// columns must fit into Index. Up to eight threads parse the lines of a piece.
///
/// Throws InputError with the line number if a line is not an entry, if an index is out of range,
/// if a value is not finite, or if there are fewer or more entries than announced. take() may have
/// received entries by then.
void read_entries(TextSource& source, const CoordinateSizes& sizes, bool has_values,
                  const std::function<void(std::span<const CoordinateEntry>)>& take);

}  // namespace espalier::internal
