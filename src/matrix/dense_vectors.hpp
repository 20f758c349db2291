// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/output_file.hpp"
#include "matrix/sparse_vectors.hpp"

namespace espalier::internal {

/// `count` vectors of length n, stored one after the other.
struct DenseVectors {
  Index n = 0;
  Index count = 0;
  std::vector<double> value;

  std::span<const double> vector(Index k) const {
    return std::span(value).subspan(static_cast<std::size_t>(k) * n, n);
  }
  Count bytes() const { return std::ssize(value) * static_cast<Count>(sizeof(double)); }
  /// Sets b to the vectors from the first one on.
  void copy(Index first, std::span<double> b) const;
};

/// The vectors of a file: dense, or sparse ones of a coordinate file.
using Vectors = std::variant<DenseVectors, SparseVectors>;

/// Returns the same numbers with the columns one after the other. They were given row by row.
std::vector<double> by_columns(const std::vector<double>& by_rows, Index n, Index count);

/// The endings of files of solutions, for messages.
inline constexpr const char* vector_file_endings = ".mtx, .mtx.gz or .npy";

/// Whether the name says in which format vectors will be written: it has one of the endings. A
/// device or a pipe needs none, and gets a Matrix Market file.
bool is_vector_file_name(const std::string& path);

/// Reads vectors of length n. The content says in which format they are, whatever the name:
/// - a NumPy array, in a regular file
/// - a Matrix Market file, an array or coordinates, real or integer, general
/// - plain text, with one row of the vectors per line, so one number per line for one vector; lines
///   that begin with # or % are comments
/// Text may be gzipped. Throws InputError, with the line if there are lines, if the file is not
/// that, or does not hold vectors of length n.
Vectors read_vectors(const std::string& path, Index n);

/// Begins `count` vectors of length n, in the format that the name of the file stands for, and adds
/// entries of such ones, which read back bit for bit. Throw as OutputFile.
void begin_vectors(OutputFile& file, Index n, Index count);
void add_entries(OutputFile& file, std::span<const double> values);

}  // namespace espalier::internal
