// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codelets/payload/message.hpp"
#include "codelets/task_list.hpp"

namespace espalier::internal {

/// What StarPU carries for a task that accelerators may run: a flat block of memory, which may be
/// copied to another process. CPU workers follow the pointer, others read the message behind the
/// payload.
struct TaskPayload {
  Shape shape;            ///< where models and schedulers look for it
  const BoundTask* task;  ///< the task itself, in the host's memory
  WrittenData written;    ///< those of its data that it writes
  Index data;             ///< how many pieces of data the task has
  Index words;            ///< how many words the message has

  std::span<const Index> content() const {
    return {reinterpret_cast<const Index*>(this + 1), static_cast<std::size_t>(words)};
  }
  /// Calls f(message) with the message of the task's kind, which is one of these.
  template <class Messages = AcceleratorMessages, class F>
  void read(F f) const {
    Messages::read(shape.kind, MessageReader(content()), f);
  }
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
  /// A is left out where the devices do not run it.
  explicit TaskPayloads(const TaskList& list, bool with_assembles = true);

  /// Returns the payload of the task at this position of the list; empty where it is not for
  /// accelerators: because of its kind, its arguments, the length of its message or its many pieces
  /// of data.
  std::span<std::byte> of(Index task) const {
    return {memory_.get() + place_[task].begin, static_cast<std::size_t>(place_[task].bytes)};
  }
  /// Returns those whose messages have lists, one after another: the others are numbers, which
  /// nobody but the host of a CUDA device reads.
  std::span<const std::byte> with_lists() const {
    return {memory_.get(), static_cast<std::size_t>(bytes_with_lists_)};
  }
  /// Returns the bytes of all of them.
  Count bytes() const { return bytes_ + static_cast<Count>(place_.capacity() * sizeof(Place)); }

 private:
  struct Place {
    Count begin = 0;
    Count bytes = 0;
  };
  std::vector<Place> place_;
  Count bytes_with_lists_ = 0;
  Count bytes_ = 0;
  std::unique_ptr<std::byte[]> memory_;
};

/// What an accelerator returns for a task: the seconds it took, or `not_timed`, then what the
/// arguments take. The failure mark instead of the seconds says that it was not run, because of a
/// failure.
using AcceleratorResult = std::span<const double>;

/// The host is to say what the task took: from when it was given to the accelerator, which the
/// task's record has, or the one before it ended, until it was seen to end.
inline constexpr double not_timed = -1;

/// Enters the result of a task that an accelerator, the worker of this number, has just ended into
/// the task's record and the worker's tally, and hands the rest to its arguments. Call it before
/// any task that waits for this one starts.
void take_result(const BoundTask& task, Index worker, AcceleratorResult result);

}  // namespace espalier::internal
