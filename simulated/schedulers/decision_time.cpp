// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decision_time.hpp"

#include <starpu.h>

#include "base/decision_time.hpp"

namespace espalier::internal {

void let_decision_pass() { starpu_sleep(static_cast<float>(decision_seconds)); }

}  // namespace espalier::internal
