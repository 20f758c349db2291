// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.hpp"

#include <array>
#include <ctime>

namespace espalier::internal {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm broken{};
  localtime_r(&now, &broken);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &broken);
  return text.data();
}

}  // namespace espalier::internal
