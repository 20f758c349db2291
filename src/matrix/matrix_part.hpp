// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "matrix/coordinate_entries.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Some columns of a symmetric matrix. Other parts have the other columns.
struct MatrixPart {
  using Entry = CoordinateEntry;  ///< row >= column

  Index n = 0;               ///< columns of the whole matrix
  std::vector<Index> given;  ///< columns for which the part got entries, ascending
  std::vector<Entry> entry;  ///< by column and row; entries of the upper triangle as their mirrors
  Count duplicates_summed = 0;
};

/// Makes a part from 0-based entries of either triangle in any order, and sums duplicates. Throws
/// EntryError if an entry is given together with its mirror, or if a sum is not finite. Cost
/// O(entries log entries).
MatrixPart make_part(Index n, std::vector<MatrixPart::Entry> given);

/// Returns the file of a part: A.0.mtx, A.1.mtx, ... for A.mtx, and A.0.mtx.gz, ... for A.mtx.gz.
std::string part_file(const std::string& file, Index part);
/// Returns whether the name is neither a file nor a generator, but the file of its first part
/// exists.
bool is_in_parts(const std::string& file_or_spec);

/// Reads a symmetric Matrix Market file with values. It has the entries of some columns, and the
/// size of the whole matrix. Throws InputError like read_coordinate_matrix(), and if the file is
/// general.
MatrixPart load_part(const std::string& path);

/// Writes a matrix as `parts` parts, each with consecutive columns and about the same number of
/// entries. All files appear together. Throws like Outputs.
void write_parts(const std::string& file, const SparseMatrixView& matrix, Index parts);

}  // namespace espalier::internal
