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

/// Reads a file through a buffer so small that lines end outside of it.
std::optional<internal::SparseMatrix> read_matrix(Reader read, const std::string& path,
                                                  internal::Values values, std::uint32_t variant);

/// Reads a file twice, as a matrix and as a pattern, and notes as what it is accepted. Expects the
/// pattern of whatever is a matrix.
std::optional<internal::SparseMatrix> read_matrix_and_pattern(Reader read, const std::string& path,
                                                              std::uint32_t variant, Tally& tally);

/// Expects the same matrix twice, or none.
void expect_same(const std::optional<internal::SparseMatrix>& a,
                 const std::optional<internal::SparseMatrix>& b, const std::string& whose);

/// What a matrix has to be that a reader gives: sound, small for its file, the same when it is
/// written and read again; a small one is factorized, and compared with a dense oracle.
void expect_good_matrix(const internal::SparseMatrix& matrix, Bytes file, Tally& tally);

/// What vectors have to be that a reader gives: one or more of length n, with finite values.
void expect_sound(const internal::DenseVectors& vectors, Index n);

}  // namespace espalier::fuzz
