// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuda/stand_in/memory.hpp"

namespace stand_in {

/// A matrix, stored by columns, that is an argument of a library call.
struct Operand {
  const char* name;
  const double* data;
  long rows;
  long columns;
  long ld;

  bool empty() const { return rows == 0 || columns == 0; }
  long span() const { return empty() ? 0 : (columns - 1) * ld + rows; }
};

/// Translates the address of the matrix to that of the stand-in. Calls misuse() if the sizes are
/// impossible, or if a part of the matrix is not in memory of this device.
double* reach(const Operand& operand, int device);
/// Same as reach() for work that reads or writes the matrix now.
double* reach_to_read(const Operand& operand, int device);
double* reach_to_write(const Operand& operand, int device);
/// Calls misuse() if the two matrices have an entry in common.
void expect_apart(const Operand& written, const Operand& read);
/// Calls misuse() if a size is negative.
void expect_sizes(long m, long n, long k);

}  // namespace stand_in
