// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codelets/payload/message.hpp"
#include "codelets/task_list.hpp"

namespace espalier {

/// The message of a task that accelerators have code for: D, F, U, A, R, filling shadows, and X on
/// tiles of supernodes, which alone of all X have a block. By kind:
///
///   D, fill  nothing
///   F  rows on top of the tile that it skips
///   U  the number of targets; for each of them the product
///   A  the number of products; for each where its panel begins in the values of the group, its
///      height, its width, the product
///   R  rows of the contribution's entries in the tile
///   X  the words of a SolveTileTask
MessageWriter message_of(const BoundTask& task);
bool is_for_accelerators(const Shape& shape);

/// What StarPU carries for such a task: a flat block of memory, which may be copied to another
/// process. CPU workers follow the pointer, others read the message behind the payload.
struct TaskPayload {
  Shape shape;            ///< where models and schedulers look for it
  const BoundTask* task;  ///< in the host's memory
  Index data;             ///< pieces of data
  Index words;            ///< of the message

  std::span<const Index> content() const {
    return {reinterpret_cast<const Index*>(this + 1), static_cast<std::size_t>(words)};
  }
  MessageReader message() const { return MessageReader(content()); }
};

/// StarPU copies the argument and the description of the data of a task for another process, and
/// what that returns, through 64 KiB, and beyond these over other memory (BUFFER_SIZE in
/// StarPU 1.4).
inline constexpr Count largest_payload = 60000;

/// Pieces of data of a task for accelerators.
inline constexpr Index most_data_of_payload = most_targets + 2;

/// Rows and columns that the products of one U may list together: each has 9 numbers besides.
inline constexpr Count most_places_of_payload =
    (largest_payload - static_cast<Count>(sizeof(TaskPayload) + alignof(TaskPayload))) /
        static_cast<Count>(sizeof(Index)) -
    1 - 9 * Count{most_targets};

/// The tasks of a list in payloads, for as long as the list lives.
class TaskPayloads {
 public:
  explicit TaskPayloads(const TaskList& list);

  /// Of the task at this position of the list; empty where it is not for accelerators: because of
  /// its kind, its length, its many pieces of data, or as it adds to a contribution, which its
  /// first writer sets to zero.
  std::span<std::byte> of(Index task) const {
    return {memory_.get() + begin_[task], memory_.get() + begin_[task + 1]};
  }

 private:
  std::vector<Count> begin_{0};
  std::unique_ptr<std::byte[]> memory_;
};

/// What an accelerator returns for a task: the seconds it took; of D also the diagonal of L, with
/// something that is no pivot where one failed.
using AcceleratorResult = std::span<const double>;

/// Enters the result of a task that an accelerator, the worker of this number, has just ended into
/// the task's record and the worker's tally, and judges the pivots as D does on a CPU. Before any
/// task that waits for it starts.
void take_result(const BoundTask& task, Index worker, AcceleratorResult result);

}  // namespace espalier
