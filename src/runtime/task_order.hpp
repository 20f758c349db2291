// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/task_list.hpp"

namespace espalier::internal {

/// Order of the tasks of a list that follows from their accesses. It is the order that StarPU finds
/// if the data are its handles. The accesses to a piece of data form phases, in the order of the
/// list: a single write, or consecutive reads, or consecutive additions. A task may begin when the
/// phases before its own have ended, for all its data. Tasks that add to the same data run in any
/// order, one at a time: they share the turn of their phase.
class TaskOrder {
 public:
  /// A task must not access a piece of data twice. Cost O(accesses + data).
  explicit TaskOrder(const TaskList& list);

  Index tasks() const { return static_cast<Index>(waits_.size()); }
  Index phases() const { return static_cast<Index>(phase_begin_.size()) - 1; }
  /// Returns the number of phases that must end before the task may begin.
  Index waits(Index task) const { return waits_[task]; }
  /// Returns the phases of the task, ascending, one per access.
  std::span<const Index> phases(Index task) const {
    return std::span(phase_of_access_)
        .subspan(access_begin_[task], access_begin_[task + 1] - access_begin_[task]);
  }
  /// Returns the tasks of a phase.
  std::span<const Index> members(Index phase) const {
    return std::span(member_).subspan(phase_begin_[phase],
                                      phase_begin_[phase + 1] - phase_begin_[phase]);
  }
  /// Returns the tasks that wait for the phase: those of the next phase of the same data.
  std::span<const Index> successors(Index phase) const {
    return is_last_[phase] ? std::span<const Index>() : members(phase + 1);
  }
  /// Returns whether the tasks of the phase run one at a time.
  bool takes_turns(Index phase) const { return takes_turns_[phase]; }
  /// Returns the size of the arrays in bytes.
  Count bytes() const;

  /// An access, seen from its piece of data.
  struct Use {
    Index task;
    Index access;  ///< position among the accesses of all tasks, in the order of the tasks
    AccessMode mode;
  };

 private:
  /// Appends the phases of a piece of data with these uses.
  void append_phases(std::span<const Use> uses);

  std::vector<Index> waits_;            ///< by task
  std::vector<Index> access_begin_;     ///< by task, and one more
  std::vector<Index> phase_of_access_;  ///< for each task, its phases
  std::vector<Index> phase_begin_;      ///< by phase, and one more
  std::vector<Index> member_;           ///< tasks by phase; phases are ordered by their data
  std::vector<bool> is_last_;           ///< by phase: the last phase of its data
  std::vector<bool> takes_turns_;       ///< by phase
};

}  // namespace espalier::internal
