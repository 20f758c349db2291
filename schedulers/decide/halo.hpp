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

/// The side on which a task runs under HALO (Sao, Liu, Vuduc, Li: A sparse direct solver for
/// distributed memory Xeon Phi-accelerated systems, 2015): what writes a shadow on the device that
/// has it, all else of ours on the host. Tasks of others on a device where they are predicted to be
/// done sooner there, with their data on the way, on the host where they are not, and wherever
/// there is a worker for them where that is unknown.
struct HaloSide {
  enum class Kind { host, device, anywhere };
  Kind kind;
  Index device = -1;  ///< its number among all devices; any of them where negative

  bool operator==(const HaloSide&) const = default;
};

inline HaloSide halo_side(const TaskFacts& task, Index devices, bool has_host) {
  if (task.device >= 0 && devices > 0) return {HaloSide::Kind::device, task.device % devices};
  const bool is_predicted = !task.ours && task.seconds >= 0 && task.device_seconds > 0;
  if (is_predicted && devices > 0 && task.device_seconds + task.device_copy < task.seconds) {
    return {HaloSide::Kind::device};
  }
  return {(task.ours || is_predicted) && has_host ? HaloSide::Kind::host
                                                  : HaloSide::Kind::anywhere};
}

/// What a device with little memory has of the data that the tasks of one factor read.
class SourceWindow {
 public:
  using Piece = DeviceMemory::Piece;

  /// There is room for so many bytes, and in any case for what the device's workers can need at
  /// once: the most that one of the tasks so far reads, for each of them.
  struct Room {
    Index workers;
    Count bytes = 0;
  };

  /// A task that reads these waits for the device.
  void expect(std::span<const Piece> pieces) {
    Count bytes = 0;
    for (const Piece& piece : pieces) {
      bytes += piece.bytes;
      ++waiting_[piece.data];
    }
    largest_ = std::max(largest_, bytes);
  }

  /// Returns whether there is room for the data of a task that waits. It is made by evict(data) of
  /// what is there and no task uses, which returns whether that worked; where it does not and
  /// nothing is in use there is no other way than to go on. Then the data comes, and the task uses
  /// it.
  template <class Evict>
  bool admit(std::span<const Piece> pieces, Room given, Evict evict) {
    const Count room = std::max(given.bytes, largest_ * given.workers);
    if (memory_.admit(pieces, static_cast<double>(room), evict)) return true;
    if (memory_.needed() > 0) return false;
    memory_.take(pieces);
    return true;
  }

  /// The task has ended: what no other one waits for leaves.
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

  /// Returns the bytes of all that is there.
  Count bytes() const { return memory_.bytes(); }

  /// Returns whether no task waits for the device.
  bool is_idle() const { return waiting_.empty(); }

 private:
  std::unordered_map<const void*, Index> waiting_;  ///< tasks that need it, those that use it too
  DeviceMemory memory_;
  Count largest_ = 0;  ///< the most that a task reads
};

/// The windows of one device: each factor that has tasks for it has its own, with the room that its
/// budget gives it.
class SourceWindows {
 public:
  using Pieces = std::span<const SourceWindow::Piece>;

  /// These do what those of SourceWindow do, for one factor.
  void expect(const DeviceBudget& factor, Pieces pieces) { window_[&factor].expect(pieces); }
  template <class Evict>
  bool admit(const DeviceBudget& factor, Pieces pieces, Index workers, Evict evict) {
    return window_[&factor].admit(pieces, {workers, factor.beside_shadows}, evict);
  }
  /// Forgets a factor whose tasks have all ended.
  template <class Evict>
  void release(const DeviceBudget& factor, Pieces pieces, Evict evict) {
    const auto own = window_.find(&factor);
    own->second.release(pieces, evict);
    if (own->second.is_idle()) window_.erase(own);
  }

 private:
  std::map<const DeviceBudget*, SourceWindow> window_;
};

}  // namespace espalier::internal
