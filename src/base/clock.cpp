// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.hpp"

#include <array>
#include <chrono>
#include <ctime>

namespace espalier::internal {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm broken{};
  localtime_r(&now, &broken);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &broken);
  return text.data();
}

}  // namespace espalier::internal
