// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/operand.hpp"

#include <algorithm>
#include <string>

#include "cuda/stand_in/misuse.hpp"
#include "cuda/stand_in/order.hpp"

namespace stand_in {

namespace {

std::string describe(const Operand& o) {
  return std::string(o.name) + " (" + std::to_string(o.rows) + " x " + std::to_string(o.columns) +
         ", leading dimension " + std::to_string(o.ld) + ")";
}

}  // namespace

double* reach(const Operand& o, int device) {
  if (o.rows < 0 || o.columns < 0 || o.ld < std::max(o.rows, 1L)) {
    misuse(describe(o) + " has impossible sizes");
  }
  if (o.empty()) return const_cast<double*>(o.data);
  if (kind_of(o.data) != Kind::device) misuse(describe(o) + " is not in the memory of a device");
  const auto bytes = static_cast<std::size_t>(o.span()) * sizeof(double);
  return reinterpret_cast<double*>(reach(o.data, bytes, device, o.name));
}

double* reach_to_read(const Operand& o, int device) {
  touch(o.data, static_cast<std::size_t>(o.span()) * sizeof(double), false);
  return reach(o, device);
}

double* reach_to_write(const Operand& o, int device) {
  touch(o.data, static_cast<std::size_t>(o.span()) * sizeof(double), true);
  return reach(o, device);
}

void expect_apart(const Operand& written, const Operand& read) {
  if (written.empty() || read.empty()) return;
  if (written.data + written.span() <= read.data || read.data + read.span() <= written.data) return;
  for (long j = 0; j < written.columns; ++j) {
    const double* const begin = written.data + j * written.ld;
    // First column of the other matrix that ends after the begin of this one.
    const long before = begin - read.data - read.rows + 1;
    const long column = before <= 0 ? 0 : (before + read.ld - 1) / read.ld;
    if (column >= read.columns) continue;
    if (read.data + column * read.ld < begin + written.rows) {
      misuse(describe(written) + ", which is written, overlaps " + describe(read));
    }
  }
}

void expect_sizes(long m, long n, long k) {
  if (m >= 0 && n >= 0 && k >= 0) return;
  misuse("a size is negative: " + std::to_string(m) + ", " + std::to_string(n) + ", " +
         std::to_string(k));
}

}  // namespace stand_in
