// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "base/device_budget.hpp"
#include "base/device_memory.hpp"
#include "espalier/types.hpp"
#include "schedulers/decide/task_facts.hpp"

namespace espalier::internal {

/// The place where a task runs under HALO (Sao, Liu, Vuduc, Li: A sparse direct solver for
/// distributed memory Xeon Phi-accelerated systems, 2015). A task that writes a shadow runs on the
/// device that has the shadow. Espalier's other tasks run on the host. A task of another program
/// runs on a device if it is predicted to end sooner there, including the copies of its data, else
/// on the host. If no prediction exists, it runs wherever a worker can execute it.
struct HaloPlace {
  enum class Kind { host, device, anywhere };
  Kind kind;
  Index device = -1;  ///< number among all devices; negative: any device

  bool operator==(const HaloPlace&) const = default;
};

inline HaloPlace halo_place(const TaskFacts& task, Index devices, bool has_host) {
  if (task.device >= 0 && devices > 0) return {HaloPlace::Kind::device, task.device % devices};
  const bool is_predicted = !task.ours && task.seconds >= 0 && task.device_seconds > 0;
  if (is_predicted && devices > 0 && task.device_seconds + task.device_copy < task.seconds) {
    return {HaloPlace::Kind::device};
  }
  return {(task.ours || is_predicted) && has_host ? HaloPlace::Kind::host
                                                  : HaloPlace::Kind::anywhere};
}

/// The data on a device with little memory that the tasks of one factor read.
class SourcePool {
 public:
  using Piece = DeviceMemory::Piece;

  /// Limit on the data. Whatever `bytes` is, there is always space for the data that the workers
  /// can need at once: the largest input of a task so far, times the number of workers.
  struct Limit {
    Index workers;
    Count bytes = 0;
  };

  /// Records that a task that reads these pieces waits for the device.
  void expect(std::span<const Piece> pieces) {
    Count bytes = 0;
    for (const Piece& piece : pieces) {
      bytes += piece.bytes;
      ++waiting_[piece.data];
    }
    largest_ = std::max(largest_, bytes);
  }

  /// Returns whether the data of a waiting task fit; if so, they count as present and in use. To
  /// make space, calls evict(data) for data that no task uses; evict returns whether it succeeded.
  /// If eviction fails and no data are in use, admits the task anyway, because waiting would not
  /// help.
  template <class Evict>
  bool admit(std::span<const Piece> pieces, Limit given, Evict evict) {
    const Count limit = std::max(given.bytes, largest_ * given.workers);
    if (memory_.admit(pieces, static_cast<double>(limit), evict)) return true;
    if (memory_.needed() > 0) return false;
    memory_.take(pieces);
    return true;
  }

  /// Records the end of a task. Evicts its data unless another task waits for them.
  template <class Evict>
  void release(std::span<const Piece> pieces, Evict evict) {
    memory_.release(pieces);
    for (const Piece& piece : pieces) {
      const auto waiting = waiting_.find(piece.data);
      if (--waiting->second > 0) continue;
      evict(piece.data);
      memory_.remove(piece.data);
      waiting_.erase(waiting);
    }
  }

  /// Returns the bytes of all data on the device.
  Count bytes() const { return memory_.bytes(); }

  /// Returns whether all tasks that were expected have ended.
  bool is_idle() const { return waiting_.empty(); }

 private:
  /// Number of unfinished tasks that read the data.
  std::unordered_map<const void*, Index> waiting_;
  DeviceMemory memory_;
  Count largest_ = 0;  ///< largest input of a task so far, in bytes
};

/// The source pools of one device, one for each factor that has tasks for it. The budget of the
/// factor limits its pool.
class SourcePools {
 public:
  using Pieces = std::span<const SourcePool::Piece>;

  /// Like the functions of SourcePool with the same names, for one factor.
  void expect(const DeviceBudget& factor, Pieces pieces) { pool_[&factor].expect(pieces); }
  template <class Evict>
  bool admit(const DeviceBudget& factor, Pieces pieces, Index workers, Evict evict) {
    return pool_[&factor].admit(pieces, {workers, factor.beside_shadows}, evict);
  }
  /// As SourcePool::release(). Forgets the factor if all its tasks have ended.
  template <class Evict>
  void release(const DeviceBudget& factor, Pieces pieces, Evict evict) {
    const auto own = pool_.find(&factor);
    own->second.release(pieces, evict);
    if (own->second.is_idle()) pool_.erase(own);
  }

 private:
  std::map<const DeviceBudget*, SourcePool> pool_;
};

}  // namespace espalier::internal
