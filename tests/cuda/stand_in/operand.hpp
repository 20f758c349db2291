// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuda/stand_in/memory.hpp"

namespace stand_in {

/// A matrix that a call of a library names, by columns.
struct Operand {
  const char* name;
  const double* data;
  long rows;
  long columns;
  long ld;

  bool empty() const { return rows == 0 || columns == 0; }
  long span() const { return empty() ? 0 : (columns - 1) * ld + rows; }
};

/// Returns where the stand-in finds it. Calls misuse() where its numbers make no sense, or not all
/// of it is memory of this device.
double* reach(const Operand& operand, int device);
/// The same for work that reads it or writes it now.
double* reach_to_read(const Operand& operand, int device);
double* reach_to_write(const Operand& operand, int device);
/// Calls misuse() where the two have an entry in common.
void expect_apart(const Operand& written, const Operand& read);
/// Calls misuse() where a number is negative.
void expect_sizes(long m, long n, long k);

}  // namespace stand_in
