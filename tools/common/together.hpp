// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "runtime/communicator.hpp"

namespace espalier {

/// Ranks that mpirun or a batch system started this process with, by its environment; 1 otherwise.
Index launched_ranks();
/// The number of this process among them.
Index launched_rank();

/// Calls f on every rank. Where it throws on all, so does this; a rank that is alone with an error
/// ends all of them with its message and exit code, for the others may wait for it. Rank 0 prints
/// what all throw before any of them leaves.
void end_together(const Communicator& world, const std::function<void()>& f);
/// Whether it has.
bool failure_is_told();

}  // namespace espalier
