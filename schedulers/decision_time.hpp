// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Lets the time pass that a decision of a policy takes. Called with the policy's lock held, once
/// per push and once per pop that returns a task. It does nothing except in a simulation, because
/// code takes no simulated time by itself.
void let_decision_pass();

}  // namespace espalier::internal
