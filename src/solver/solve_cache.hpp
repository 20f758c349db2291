// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/submission.hpp"
#include "solver/factor_storage.hpp"
#include "solver/solve_setup.hpp"

namespace espalier::internal {

/// A solve by blocks of right-hand sides, of which the last one may be smaller.
struct SolveBlocks {
  Index count;    ///< right-hand sides
  Index columns;  ///< right-hand sides of a block
  SolvePart part = SolvePart::both;
};

/// The tasks of solves, one set for each number of right-hand sides, which are kept for the next
/// solve as long as there is memory for them. Those for one right-hand side and both parts are
/// there from the start and stay; they count nothing in what follows.
class SolveCache {
 public:
  /// The tasks of one such solve.
  struct Entry {
    SolvePart part;
    SolveTasks tasks;
    Handles segments;
    bool has_run = false;
    std::deque<PinnedMemory> pinned{};  ///< the segments, from the second run on, for devices
  };

  /// All arguments outlive the object.
  SolveCache(FactorStorage& storage, SolveSetup& setup, TaskRunner& runner);

  /// Returns the tasks for so many right-hand sides, which it makes where there are none such.
  Entry& find(Index columns, SolvePart part);
  /// Registers and pins what StarPU must know of before the entry is submitted to it.
  void prepare(Entry& entry);
  /// Returns the handles that the tasks of an entry use.
  std::vector<starpu_data_handle_t> handles_of(const Entry& entry);

  /// Returns the bytes that the tasks of such a solve take.
  Count bytes(const SolveBlocks& blocks) const;
  /// Returns the bytes that the tasks of earlier solves take now.
  Count kept_bytes() const;
  /// Frees tasks of earlier solves that this one does not use, those that were not used for the
  /// longest time first, until what is left and what this solve takes fits into `room` bytes, and
  /// into those of the largest solve. Waits for all tasks if it frees any. Returns the bytes of
  /// both.
  Count make_room_for(const SolveBlocks& blocks, Count room);

 private:
  struct Key {
    Index columns;  ///< right-hand sides
    SolvePart part;

    bool operator==(const Key&) const = default;
  };
  static constexpr Key usual{1, SolvePart::both};

  static Key key_of(const Entry& entry) { return {entry.tasks.columns(), entry.part}; }
  /// Returns those that such a solve uses, of both blocks, but for the usual ones.
  static std::vector<Key> used_by(const SolveBlocks& blocks);
  std::unique_ptr<Entry> made(Key key);
  /// Returns the bytes of an entry for so many right-hand sides.
  Count entry_bytes(Index columns) const;
  /// Returns the bytes of workspaces for a panel of one vector.
  Count workspace_bytes() const;
  /// Frees entries that are not among those, the oldest first, while these take more than `most`
  /// bytes. Returns what those take that are left.
  Count forget_others(const std::vector<Key>& used, Count most);
  /// Waits for all tasks and frees these.
  void forget(std::unique_ptr<Entry> entry);
  void register_segments(Entry& entry);
  /// Pins the segments of an entry that runs again, for devices: to pin them takes longer than to
  /// copy them once.
  void pin_segments(Entry& entry);

  FactorStorage& storage_;
  SolveSetup& setup_;
  TaskRunner& runner_;
  std::unique_ptr<Entry> usual_;
  std::vector<std::unique_ptr<Entry>> others_;  ///< those that were used last come last
  Index reserved_columns_ = 0;                  ///< vectors that the workspaces have room for
};

}  // namespace espalier::internal
