// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Whether the values of a matrix are needed. With pattern_only, files without values are accepted
/// too; values that a file has are checked all the same, but dropped: SparseMatrix::value is empty.
enum class Values { required, pattern_only };

/// What was noticed while a matrix was read.
struct InputNotes {
  Count entries_read = 0;
  Count duplicates_summed = 0;  ///< entries added to an earlier one at the same place
  Count mirrors_averaged = 0;   ///< pairs (i, j), (j, i) that differed by rounding only
  Count diagonal_added = 0;     ///< diagonal entries that a pattern lacked
};

struct MatrixInput {
  std::string name;  ///< the file's name without its folder and extensions, or the generator's spec
  SparseMatrix matrix;
  InputNotes notes;
};

/// Makes the matrix of a generator's spec, or reads a file: Matrix Market, Rutherford-Boeing or
/// Harwell-Boeing, plain or gzipped. `format` names the format, or the first lines of the file show
/// it. If these show none, the ending of the name decides (.mtx, .rb, .hb, .rsa and others), so
/// that the message can say what is wrong with the file. Throws UsageError for a bad spec, and
/// InputError if the file holds no such matrix; the message names the file, the line and the
/// reason.
MatrixInput load_matrix(const std::string& file_or_spec, Values values = Values::required,
                        FileFormat format = FileFormat::automatic);

}  // namespace espalier::internal
