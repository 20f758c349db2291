// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "matrix/dense_vectors.hpp"
#include "matrix/load.hpp"
#include "matrix/text_source.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using Reader = internal::SparseMatrix (*)(internal::TextSource&, internal::Values,
                                          internal::InputNotes&);

/// Reads a file through a buffer that is shorter than some lines.
std::optional<internal::SparseMatrix> read_matrix(Reader read, const std::string& path,
                                                  internal::Values values, std::uint32_t variant);

/// Reads a file as a matrix and as a pattern, and notes the outcomes. If the file is a matrix,
/// expects that the pattern can be read and is the same.
std::optional<internal::SparseMatrix> read_matrix_and_pattern(Reader read, const std::string& path,
                                                              std::uint32_t variant, Tally& tally);

/// Expects two equal matrices, or none.
void expect_same(const std::optional<internal::SparseMatrix>& a,
                 const std::optional<internal::SparseMatrix>& b, const std::string& whose);

/// Expects that a matrix from a reader is sound, small compared with its file, and the same after
/// it is written and read again. A small one is factorized and compared with a dense oracle.
void expect_good_matrix(const internal::SparseMatrix& matrix, Bytes file, Tally& tally);

/// Expects that vectors from a reader are one or more of length n, with finite values.
void expect_sound(const internal::DenseVectors& vectors, Index n);

}  // namespace espalier::fuzz
