// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedulers/decide/task_facts.hpp"

namespace espalier {

/// On which side a task runs under HALO (Sao, Liu, Vuduc, Li: A sparse direct solver for
/// distributed memory Xeon Phi-accelerated systems, 2015): what writes a shadow on the device that
/// has it, all else of ours on the host, and tasks of others wherever there is a worker for them.
struct HaloSide {
  enum class Kind { host, device, anywhere };
  Kind kind;
  Index device = -1;  ///< of all devices

  bool operator==(const HaloSide&) const = default;
};

inline HaloSide halo_side(const TaskFacts& task, Index devices, bool has_host) {
  if (task.device >= 0 && devices > 0) return {HaloSide::Kind::device, task.device % devices};
  return {task.ours && has_host ? HaloSide::Kind::host : HaloSide::Kind::anywhere};
}

}  // namespace espalier
