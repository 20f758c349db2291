// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decision_time.hpp"

namespace espalier::internal {

void let_decision_pass() {}

}  // namespace espalier::internal
