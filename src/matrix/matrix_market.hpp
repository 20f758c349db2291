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

/// What follows %%MatrixMarket, or %MatrixMarket, on the first line, in lower case.
struct MatrixMarketBanner {
  std::string object, format, field, symmetry;
};

/// Whether a line begins as a banner does.
bool is_matrix_market_banner(std::string_view line);

/// Takes the banner from the front of a file, after blank lines if there are some. Throws
/// InputError for anything else.
MatrixMarketBanner read_banner(TextSource& source);

/// Throws InputError unless the values are real numbers: real or integer, or double or
/// unsigned-integer as some programs write.
void expect_real_field(const TextSource& source, const MatrixMarketBanner& banner);

/// Reads a coordinate file, real, integer or pattern, symmetric or general, one entry a line; blank
/// lines and comments may stand anywhere. The standard keeps the lower triangle in a symmetric
/// file; entries of the upper one are taken for their mirrors, but giving both is refused. With
/// pattern_only, missing diagonal entries are added. Throws InputError with the line where the file
/// is not that, or holds fewer or more entries than it announces, an index out of range, a value
/// that is not finite or an EntryDefect.
SparseMatrix read_coordinate_matrix(TextSource& source, Values values, InputNotes& notes);

/// Reads a symmetric coordinate file with values, gives its entries to take(), in their order and
/// piece by piece, and returns the number of its columns. Throws as above.
Index read_symmetric_entries(TextSource& source,
                             const std::function<void(std::span<const CoordinateEntry>)>& take);

/// Writes the lower triangle as a real symmetric coordinate file; values read back bit for bit.
/// Throws as OutputFile.
void write_coordinate_matrix(const std::string& path, const SparseMatrixView& matrix);
/// Writes the columns [begin, end) alone in the same way, with the size of the whole.
void write_columns(OutputFile& file, const SparseMatrixView& matrix, Index begin, Index end);

}  // namespace espalier::internal
