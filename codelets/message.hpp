// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codelets/task_list.hpp"

namespace espalier {

/// What an accelerator has to know of a task beside its data: numbers and lists of positions inside
/// these. The accelerator sees neither L's structure nor the host's memory.
class MessageWriter {
 public:
  void number(Index value) { words_.push_back(value); }
  void list(std::span<const Index> values) {
    number(static_cast<Index>(values.size()));
    words_.insert(words_.end(), values.begin(), values.end());
  }
  void append(const MessageWriter& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
  }
  std::span<const Index> words() const { return words_; }

 private:
  std::vector<Index> words_;
};

/// Reads what was written, in the same order.
class MessageReader {
 public:
  explicit MessageReader(std::span<const Index> words) : words_(words) {}

  Index number() {
    const Index value = words_.front();
    words_ = words_.subspan(1);
    return value;
  }
  std::span<const Index> list() {
    const auto count = static_cast<std::size_t>(number());
    const auto values = words_.first(count);
    words_ = words_.subspan(count);
    return values;
  }

 private:
  std::span<const Index> words_;
};

/// The message of a task that accelerators have code for: D, F, U, A, R. By kind:
///
///   D  nothing
///   F  rows on top of the tile that it skips
///   U  the product
///   A  the number of products; for each where its panel begins in the values of the group, its
///      height, its width, the product
///   R  rows of the contribution's entries in the tile
MessageWriter message_of(const BoundTask& task);
bool is_for_accelerators(TaskKind kind);

/// What StarPU carries for such a task: a flat block of memory, which may be copied to another
/// process. CPU workers follow the pointer, others read the message behind the envelope.
struct Envelope {
  Shape shape;            ///< where models and schedulers look for it
  const BoundTask* task;  ///< in the host's memory
  Index data;             ///< pieces of data
  Index words;            ///< of the message

  MessageReader message() const {
    return MessageReader(
        {reinterpret_cast<const Index*>(this + 1), static_cast<std::size_t>(words)});
  }
};

/// StarPU copies the argument and the description of the data of a task for another process, and
/// what that returns, through 64 KiB, and beyond these over other memory (BUFFER_SIZE in
/// StarPU 1.4).
inline constexpr Count largest_envelope = 60000;

/// The tasks of a list in envelopes, for as long as the list lives.
class Envelopes {
 public:
  explicit Envelopes(const TaskList& list);

  /// Of the task at this position of the list; empty where it is not for accelerators, or too long
  /// for them.
  std::span<std::byte> of(Index task) const {
    return {memory_.get() + begin_[task], memory_.get() + begin_[task + 1]};
  }

 private:
  std::vector<Count> begin_{0};
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace espalier
