// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string>

#include "espalier/bindings.hpp"

namespace espalier {

namespace {

VectorBlocks blocks_of(const VectorArrays& arrays) {
  const auto read = [arrays](Index first, std::span<double> block) {
    for (auto to = block.begin(); to != block.end(); to += arrays.n) {
      std::copy_n(arrays.b + first++ * arrays.ldb, arrays.n, to);
    }
  };
  const auto write = [arrays](Index first, std::span<const double> block, double /*error*/) {
    for (auto from = block.begin(); from != block.end(); from += arrays.n) {
      std::copy_n(from, arrays.n, arrays.x + first++ * arrays.ldx);
    }
  };
  return {read, write};
}

}  // namespace

double solve_in_arrays(Factor& factor, const VectorArrays& arrays, const SolveOptions& options) {
  const auto& [n, count, b, ldb, x, ldx] = arrays;
  if (count > 1 && (ldb != n || ldx != n)) {
    return factor.solve(count, blocks_of(arrays), options).backward_error;
  }
  const std::size_t entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  return factor.solve({b, entries}, {x, entries}, count, options).backward_error;
}

void expect_finite(const VectorArrays& arrays, Index base) {
  for (Index column = 0; column < arrays.count; ++column) {
    const std::span b(arrays.b + column * arrays.ldb, static_cast<std::size_t>(arrays.n));
    const auto bad = std::ranges::find_if(b, [](double value) { return !std::isfinite(value); });
    if (bad == b.end()) continue;
    throw InputError("the right-hand side " + std::to_string(column + base) +
                     " has a value in row " + std::to_string((bad - b.begin()) + base) +
                     " that is not finite, counted from " + std::to_string(base));
  }
}

void expect_accurate(double backward_error) {
  constexpr double accepted = 1e-10;
  if (backward_error <= accepted) return;  // false for NaN
  if (!std::isfinite(backward_error)) {
    throw InaccurateSolution(
        "numbers overflow in the right-hand sides, the solution or the residual; multiply the "
        "matrix "
        "or the right-hand sides by a power of 2 that brings their entries closer to 1");
  }
  std::array<char, 32> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size() - 1, backward_error,
                std::chars_format::scientific, 1);
  throw InaccurateSolution("the backward error of the solution is " + std::string(digits.data()) +
                           ", above 1e-10; check whether the matrix is singular or badly scaled, "
                           "or allow more steps with the option refine");
}

}  // namespace espalier
