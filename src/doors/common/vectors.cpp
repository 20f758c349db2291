// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>

#include "espalier/doors.hpp"

namespace espalier {

VectorBlocks vectors_in_arrays(Index n, const double* b, Count ldb, double* x, Count ldx) {
  const auto read = [=](Index first, std::span<double> block) {
    for (auto to = block.begin(); to != block.end(); to += n) {
      std::copy_n(b + first++ * ldb, n, to);
    }
  };
  const auto write = [=](Index first, std::span<const double> block, double /*error*/) {
    for (auto from = block.begin(); from != block.end(); from += n) {
      std::copy_n(from, n, x + first++ * ldx);
    }
  };
  return {read, write};
}

void expect_accurate(double backward_error) {
  constexpr double accepted = 1e-10;
  if (backward_error <= accepted) return;  // not where it is NaN
  std::array<char, 32> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size() - 1, backward_error,
                std::chars_format::scientific, 1);
  throw InaccurateSolution("the backward error of the solution is " + std::string(digits.data()) +
                           ", above 1e-10; check the scaling of the matrix, or allow more steps "
                           "with the option refine");
}

}  // namespace espalier
