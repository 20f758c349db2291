// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Returns whether the pattern has all entries of another pattern of the same order. Cost
/// O(n + entries of both).
bool contains(const PatternView& pattern, const PatternView& other);

/// Returns the pattern with all entries of two patterns of the same order. Cost O(n + entries of
/// both).
LowerPattern union_of(const PatternView& a, const PatternView& b);

/// Copies a matrix into the array of a pattern that has all its entries. The other entries get the
/// value 0.
void copy_values(const SparseMatrixView& from, const PatternView& pattern, std::span<double> value);

/// Subtracts sigma times the identity matrix from a matrix. Throws InputError if an entry
/// overflows.
void subtract_identity(double sigma, const PatternView& pattern, std::span<double> value);

/// Subtracts sigma times b from a matrix whose pattern has all entries of b. Throws InputError if
/// an entry overflows.
void subtract(double sigma, const SparseMatrixView& b, const PatternView& pattern,
              std::span<double> value);

}  // namespace espalier::internal
