// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Whether the values of a matrix are needed. With zero_diagonal, missing diagonal entries are
/// zeros. With pattern_only, files without values are accepted too. If a file has values, they are
/// checked but dropped: SparseMatrix::value is empty.
enum class Values { required, zero_diagonal, pattern_only };

/// Observations while a matrix was read.
struct InputNotes {
  Count entries_read = 0;
  Count duplicates_summed = 0;  ///< entries added to an earlier one at the same position
  Count mirrors_averaged = 0;   ///< pairs (i, j), (j, i) that differed only by rounding
  Count diagonal_added = 0;     ///< diagonal entries that were missing
};

struct MatrixInput {
  std::string name;  ///< name of the file without folder and extensions, or the generator's spec
  SparseMatrix matrix;
  InputNotes notes;
};

/// Generates the matrix of a generator's spec, or reads a file: Matrix Market, Rutherford-Boeing or
/// Harwell-Boeing, plain or gzipped. If `format` is automatic, the first lines of the file
/// determine the format. If they match no format, the ending of the name selects one (.mtx, .rb,
/// .hb, .rsa and others), so that its reader can report the error. Throws UsageError for a bad
/// spec. Throws InputError if the file does not contain such a matrix; the message names the file,
/// the line and the reason.
MatrixInput load_matrix(const std::string& file_or_spec, Values values = Values::required,
                        FileFormat format = FileFormat::automatic);

}  // namespace espalier::internal
