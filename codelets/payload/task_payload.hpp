// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codelets/payload/message.hpp"
#include "codelets/task_list.hpp"

namespace espalier::internal {

/// The argument of a task that accelerators may run. It is a flat block of memory that StarPU may
/// copy to another process. CPU workers follow the pointer; others read the message that follows
/// the payload.
struct TaskPayload {
  Shape shape;            ///< first, because models and schedulers expect it there
  const BoundTask* task;  ///< the task, in the host's memory
  WrittenData written;    ///< the data that it writes
  Index data;             ///< number of pieces of data of the task
  Index results;          ///< number of results in addition to the seconds
  Index words;            ///< number of words of the message

  std::span<const Index> content() const {
    return {reinterpret_cast<const Index*>(this + 1), static_cast<std::size_t>(words)};
  }
  /// Calls f(message) with the message of the task's kind, which must be one of `Messages`.
  template <class Messages = AcceleratorMessages, class F>
  void read(F f) const {
    Messages::read(shape.kind, MessageReader(content()), f);
  }
};

/// Limit for the argument of a task, the description of its data, and its result, in bytes. StarPU
/// copies them for another process through a buffer of 64 KiB and overwrites other memory beyond it
/// (BUFFER_SIZE in StarPU 1.4).
inline constexpr Count largest_payload = 60000;

/// Maximum number of pieces of data of a task for accelerators.
inline constexpr Index most_data_of_payload = most_targets + 2;

/// Maximum number of rows and columns that the products of one U may list together. Each product
/// has 9 other numbers, and the message has 2.
inline constexpr Count most_places_of_payload =
    (largest_payload - static_cast<Count>(sizeof(TaskPayload) + alignof(TaskPayload))) /
        static_cast<Count>(sizeof(Index)) -
    2 - 9 * Count{most_targets};

/// The payloads of the tasks of a list. The list must outlive the object.
class TaskPayloads {
 public:
  /// Makes the payloads. Without `with_assembles`, leaves out A, because the devices do not run it.
  explicit TaskPayloads(const TaskList& list, bool with_assembles = true);

  /// Returns the payload of the task at this position of the list. It is empty if accelerators
  /// cannot run the task because of its kind, its arguments, the length of its message, or the
  /// number of its pieces of data.
  std::span<std::byte> of(Index task) const {
    return {memory_.get() + place_[task].begin, static_cast<std::size_t>(place_[task].bytes)};
  }
  /// Returns the payloads whose messages have lists, in one contiguous block. The other messages
  /// are only numbers, which the host of a CUDA device reads.
  std::span<const std::byte> with_lists() const {
    return {memory_.get(), static_cast<std::size_t>(bytes_with_lists_)};
  }
  /// Returns the size of all payloads in bytes.
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

/// Result of an accelerator for a task: its seconds, or `not_timed`, followed by the results for
/// the arguments. If the first number is the failure mark, the task was skipped because of a
/// failure.
using AcceleratorResult = std::span<const double>;

/// Instead of a time: the host measures the task. The time starts when the accelerator got the task
/// (TaskRecord::begin) or when the task before it ended. It ends when the host sees the end of the
/// task.
inline constexpr double not_timed = -1;

/// Records the result of a task that an accelerator, the worker of this number, has just ended.
/// Enters the time into the task's record and the worker's tally, and passes the other results to
/// the arguments.
/// Must be called before any task that waits for this one starts.
void take_result(const BoundTask& task, Index worker, AcceleratorResult result);

}  // namespace espalier::internal
