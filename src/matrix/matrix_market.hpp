// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/coordinate_entries.hpp"
#include "matrix/load.hpp"
#include "matrix/output_file.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

// Matrix Market: Boisvert, Pozo, Remington, "The Matrix Market exchange formats: initial design",
// NISTIR 5935, 1996.

/// Words after %%MatrixMarket or %MatrixMarket on the first line, in lower case.
struct MatrixMarketBanner {
  std::string object, format, field, symmetry;
};

/// Returns whether a line begins like a banner.
bool is_matrix_market_banner(std::string_view line);

/// Reads the banner at the front of a file, after any blank lines. Throws InputError if there is
/// none.
MatrixMarketBanner read_banner(TextSource& source);

/// Throws InputError unless the values are real numbers. The field may be real or integer. Some
/// programs write double or unsigned-integer, which are accepted, too.
void expect_real_field(const TextSource& source, const MatrixMarketBanner& banner);

/// Reads a coordinate file: real, integer or pattern, symmetric or general, with one entry per
/// line. Blank lines and comments may stand anywhere. A symmetric file should contain the lower
/// triangle. Entries of the upper triangle are read as their mirrors, but an entry together with
/// its mirror is refused. With pattern_only, missing diagonal entries are added.
///
/// Throws InputError with the line number if the file has another format, if it has fewer or more
/// entries than it announces, if an index is out of range, if a value is not finite, or for an
/// EntryDefect.
SparseMatrix read_coordinate_matrix(TextSource& source, Values values, InputNotes& notes);

/// Reads a symmetric coordinate file with values, passes its entries in order, piece by piece, to
/// take(), and returns the number of columns. Throws like read_coordinate_matrix().
Index read_symmetric_entries(TextSource& source,
                             const std::function<void(std::span<const CoordinateEntry>)>& take);

/// Writes the lower triangle as a real symmetric coordinate file. Values read back bit for bit.
/// Throws like OutputFile.
void write_coordinate_matrix(const std::string& path, const SparseMatrixView& matrix);
/// Writes only the columns [begin, end) in the same way, with the size of the whole matrix.
void write_columns(OutputFile& file, const SparseMatrixView& matrix, Index begin, Index end);

}  // namespace espalier::internal
