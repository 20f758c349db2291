// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <unordered_set>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// Data that tasks may bring to a device whose memory is limited. What has come stays there, and
/// counts, whether or not it is needed again: nobody takes it away.
class DeviceMemory {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  struct Piece {
    const void* data;  ///< tells it from others
    Count bytes;
  };

  /// Room for so many bytes.
  explicit DeviceMemory(double limit = unlimited) : limit_(limit) {}

  /// Whether all data of a task fits, beside what has come before; then it comes. Otherwise nothing
  /// of it does. Cost O(pieces).
  bool admit(std::span<const Piece> pieces) {
    Count bytes = bytes_;
    std::vector<const void*> added;
    for (const Piece& piece : pieces) {
      if (!there_.insert(piece.data).second) continue;
      added.push_back(piece.data);
      bytes += piece.bytes;
    }
    if (static_cast<double>(bytes) <= limit_) {
      bytes_ = bytes;
      return true;
    }
    for (const void* const data : added) there_.erase(data);
    return false;
  }

  /// Of all that is there.
  Count bytes() const { return bytes_; }

 private:
  double limit_;
  Count bytes_ = 0;
  std::unordered_set<const void*> there_;
};

}  // namespace espalier
