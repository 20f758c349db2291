// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "base/clock.hpp"

namespace espalier::internal {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace espalier::internal
