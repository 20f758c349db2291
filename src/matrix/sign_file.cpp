// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/sign_file.hpp"

#include <fmt/format.h>

#include "espalier/error.hpp"
#include "matrix/right_hand_sides.hpp"

namespace espalier::internal {

std::vector<signed char> read_signs(const std::string& path, Index n) {
  RightHandSides column({path}, n, "signs");
  if (column.count() != 1) {
    throw InputError(fmt::format("{}: expected one column of {} signs, found {} columns", path, n,
                                 column.count()));
  }
  const std::vector<double> value = std::move(column).dense();
  std::vector<signed char> sign(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != 1 && value[i] != -1) {
      throw InputError(
          fmt::format("{}: the sign of row {} is {}; expected 1 or -1", path, i + 1, value[i]));
    }
    sign[i] = value[i] > 0 ? 1 : -1;
  }
  return sign;
}

}  // namespace espalier::internal
