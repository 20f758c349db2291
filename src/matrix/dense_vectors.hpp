// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <span>
#include <string>
#include <string_view>
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
  /// Copies the vectors from number `first` on into b, until b is full.
  void copy(Index first, std::span<double> b) const;
};

/// Vectors of a file: dense, or sparse from a coordinate file.
using Vectors = std::variant<DenseVectors, SparseVectors>;

/// Returns the numbers of an n-by-count array in column order. `by_rows` has them in row order.
std::vector<double> by_columns(const std::vector<double>& by_rows, Index n, Index count);

/// Endings of the names of solution files, for messages.
inline constexpr const char* vector_file_endings = ".mtx, .mtx.gz or .npy";

/// Returns whether vectors can be written to this path. The ending of its name selects the format.
/// A device or a pipe needs no ending and gets a Matrix Market file.
bool is_vector_file_name(const std::string& path);

/// Reads vectors of length n. The content determines the format, except that a name with the ending
/// .npy always means a NumPy array:
/// - a NumPy array, in a regular file
/// - a Matrix Market file, an array or coordinates, real or integer, general
/// - plain text, with one row of the vectors per line (one number per line for one vector); lines
///   that begin with # or % are comments
/// Text may be gzipped. Throws InputError, with the line number for text, if the file has another
/// format, or if its vectors do not have length n. The message calls the vectors `noun`.
Vectors read_vectors(const std::string& path, Index n, std::string_view noun = usual_vectors);

/// Write the header for `count` vectors of length n, and then entries of the vectors. The name of
/// the file selects the format. Values read back bit for bit. Both throw as OutputFile does.
void begin_vectors(OutputFile& file, Index n, Index count);
void add_entries(OutputFile& file, std::span<const double> values);

}  // namespace espalier::internal
