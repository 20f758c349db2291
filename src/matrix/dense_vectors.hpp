// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// `count` vectors of length n, stored one after the other.
struct DenseVectors {
  Index n = 0;
  Index count = 0;
  std::vector<double> value;

  std::span<const double> vector(Index k) const {
    return std::span(value).subspan(static_cast<std::size_t>(k) * n, n);
  }
};

/// Reads a Matrix Market array, real or integer, plain or gzipped. Throws InputError with the line
/// where the file is not that, or does not hold vectors of length n.
DenseVectors read_vectors(const std::string& path, Index n);

/// Writes a Matrix Market array; values read back bit for bit. Throws as OutputFile.
void write_vectors(const std::string& path, const DenseVectors& vectors);

}  // namespace espalier
