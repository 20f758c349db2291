// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/types.hpp"

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

/// Reads what was written, in the same order; on devices, too.
class MessageReader {
 public:
  constexpr explicit MessageReader(std::span<const Index> words) : words_(words) {}

  constexpr Index number() {
    const Index value = words_.front();
    words_ = words_.subspan(1);
    return value;
  }
  constexpr std::span<const Index> list() {
    const auto count = static_cast<std::size_t>(number());
    const auto values = words_.first(count);
    words_ = words_.subspan(count);
    return values;
  }

 private:
  std::span<const Index> words_;
};

}  // namespace espalier
