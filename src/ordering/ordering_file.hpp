// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/separator_tree.hpp"
#include "matrix/output_file.hpp"

namespace espalier::internal {

/// Reads a permutation of 0..n-1 from a file, plain or gzipped: n numbers separated by white space,
/// or a Matrix Market array with one column. Number k is the k-th vertex to eliminate. Numbers are
/// 1-based if the list contains n, and 0-based otherwise. Lines that start with '%' or '#' are
/// comments. The result has no parts.
///
/// A file of write_ordering() has n numbers and then its parts, which the result has, too. Throws
/// InputError with file, line and reason.
SeparatorTree read_ordering(const std::string& path, Index n);

/// Returns whether a regular file begins like a file of write_ordering(). Returns false if it
/// cannot be read.
bool begins_with_ordering_banner(const std::string& path);

/// Writes an order, one 0-based column per line. If there are parts, the file begins with the
/// comment "%%EspalierOrdering", and after the columns a line "parts K" precedes the K parts with
/// their parents, first positions and ends. Throws like OutputFile.
void write_ordering(OutputFile& file, const SeparatorTree& tree);

}  // namespace espalier::internal
