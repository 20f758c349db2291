// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "matrix/coordinate_entries.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Some columns of a symmetric matrix; other parts have the other columns.
struct MatrixPart {
  using Entry = CoordinateEntry;  ///< row >= column

  Index n = 0;               ///< columns of the whole
  std::vector<Index> given;  ///< columns that the part was given entries of, ascending
  std::vector<Entry> entry;  ///< by column and row; an entry of the upper triangle as its mirror
  Count duplicates_summed = 0;
};

/// Makes a part from entries of either triangle in any order, 0-based; duplicates are summed.
/// Throws EntryError for an entry that is given together with its mirror and for a sum that is not
/// finite. Cost O(entries log entries).
MatrixPart make_part(Index n, std::vector<MatrixPart::Entry> given);

/// The file of a part of A.mtx is A.0.mtx, A.1.mtx and so on; that of A.mtx.gz is A.0.mtx.gz.
std::string part_file(const std::string& file, Index part);
/// Whether the matrix has no file and no generator, but a first part.
bool is_in_parts(const std::string& file_or_spec);

/// Reads a symmetric Matrix Market file with values that has entries of some columns, and the size
/// of the whole. Throws InputError as read_coordinate_matrix(), and where both triangles are given.
MatrixPart load_part(const std::string& path);

/// Writes a matrix in so many parts of consecutive columns with about as many entries each, which
/// appear together. Throws as Outputs.
void write_parts(const std::string& file, const SparseMatrixView& matrix, Index parts);

}  // namespace espalier::internal
