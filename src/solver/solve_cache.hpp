// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/solve_tasks.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/submission.hpp"
#include "solver/factor_storage.hpp"
#include "solver/solve_setup.hpp"

namespace espalier::internal {

/// A solve in blocks of right-hand sides. The last block may be smaller.
struct SolveBlocks {
  Index count;    ///< total number of right-hand sides
  Index columns;  ///< right-hand sides per block
  SolvePart part = SolvePart::both;
};

/// Cache of the tasks of solves, with one entry per number of right-hand sides. Entries are kept
/// for the next solve if there is enough memory. The usual entry, for one right-hand side and both
/// directions, exists from the start and stays; the functions below do not count it.
class SolveCache {
 public:
  /// Tasks of a solve with one number of right-hand sides and one choice of directions.
  struct Entry {
    SolvePart part;
    SolveTasks tasks;
    /// Run of the tasks; empty if StarPU gets them with their data.
    std::optional<OrderedRun> run{};
    Handles segments{};
    bool has_run = false;
    /// Segments that are pinned for devices, from the second run on.
    std::deque<PinnedMemory> pinned{};
    /// Copy of b, and then of x, for solves on handles of an application; empty before the first.
    Buffer vectors{};
  };

  /// All arguments must outlive the object.
  SolveCache(FactorStorage& storage, SolveSetup& setup, TaskRunner& runner);

  /// Returns the tasks for `columns` right-hand sides. Makes them if there are none.
  Entry& find(Index columns, SolvePart part);
  /// Does the same while tasks are pending. Frees nothing, and leaves it to the first task of the
  /// solve to enlarge the workspaces by reserve_vectors(). Registers the segments.
  Entry& find_beside_tasks(Index columns);
  /// Registers and pins the segments of an entry before it is submitted.
  void prepare(Entry& entry);
  /// Returns the handles of the data that the tasks of an entry use.
  std::vector<starpu_data_handle_t> handles_of(const Entry& entry);
  /// Returns the handles of all segments that are registered.
  std::vector<starpu_data_handle_t> all_segments() const;

  /// Returns the memory of the tasks of this solve, in bytes.
  Count bytes(const SolveBlocks& blocks) const;
  /// Returns the current memory of the tasks of earlier solves, in bytes.
  Count kept_bytes() const;
  /// Frees tasks of earlier solves that this solve does not use, the least recently used first.
  /// Stops when the other tasks and this solve fit both into `space` bytes and into the memory of
  /// the largest possible solve. Waits for all tasks if it frees any. Returns the memory of these
  /// tasks and of this solve, in bytes.
  Count make_space_for(const SolveBlocks& blocks, Count space);

 private:
  struct Key {
    Index columns;  ///< number of right-hand sides
    SolvePart part;

    bool operator==(const Key&) const = default;
  };
  static constexpr Key usual{1, SolvePart::both};

  static Key key_of(const Entry& entry) { return {entry.tasks.columns(), entry.part}; }
  /// Returns the entries that this solve uses for its blocks, except the usual one.
  static std::vector<Key> used_by(const SolveBlocks& blocks);
  /// Returns the tasks of these solves, or null.
  Entry* known(Key key);
  std::unique_ptr<Entry> made(Key key);
  /// Returns the size in bytes of an entry for `columns` right-hand sides.
  Count entry_bytes(Index columns) const;
  Count bytes_of(const Entry& entry) const;
  /// Returns the size in bytes of the workspaces for a panel of one vector.
  Count workspace_bytes() const;
  /// Frees entries that are not in `used`, the least recently used first, while such entries need
  /// more than `most` bytes. Returns the size of the remaining ones.
  Count forget_others(const std::vector<Key>& used, Count most);
  /// Waits for all tasks and frees the entry.
  void forget(std::unique_ptr<Entry> entry);
  void register_segments(Entry& entry);
  /// Pins the segments of an entry for devices when it runs for the second time. Pinning takes
  /// longer than one copy.
  void pin_segments(Entry& entry);

  FactorStorage& storage_;
  SolveSetup& setup_;
  TaskRunner& runner_;
  std::unique_ptr<Entry> usual_;
  std::vector<std::unique_ptr<Entry>> others_;  ///< in the order of their last use
  Index reserved_columns_ = 0;                  ///< number of vectors that fit into the workspaces
};

}  // namespace espalier::internal
