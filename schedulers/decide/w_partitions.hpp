// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>

#include "espalier/types.hpp"

namespace espalier {

/// The w-partitions of one l-partition and whose they are: all tasks of one go to the worker that
/// took the first of them. Tasks without a w-partition are dealt out as they come, to the worker
/// with the least predicted seconds so far.
class WPartitions {
 public:
  /// A task of the w-partition is ready.
  void arrive(Index part) { ++parts_[part].ready; }

  /// A task without a w-partition is ready, which these workers can execute: the number, below 0,
  /// of the partition that it joins, which the chosen worker owns.
  Index arrive_alone(std::span<const int> able, double seconds) {
    int chosen = able.front();
    for (const int worker : able) {
      if (seconds_[worker] < seconds_[chosen]) chosen = worker;
    }
    seconds_[chosen] += seconds;
    Part& part = parts_[-1 - chosen];
    part.owner = chosen;
    ++part.ready;
    return -1 - chosen;
  }

  /// Where the worker finds its next task: in what it owns, else in what nobody owns.
  std::optional<Index> choose(int worker) const {
    std::optional<Index> free;
    for (const auto& [number, part] : parts_) {
      if (part.ready == 0) continue;
      if (part.owner == worker) return number;
      if (part.owner < 0 && !free) free = number;
    }
    return free;
  }

  /// The worker starts a task of it.
  void take(Index number, int worker) {
    Part& part = parts_.at(number);
    part.owner = worker;
    --part.ready;
  }

  /// The worker will take no more: what it owns is anybody's.
  void leave(int worker) {
    for (auto& [number, part] : parts_) {
      if (part.owner == worker) part.owner = -1;
    }
  }

 private:
  struct Part {
    int owner = -1;
    Count ready = 0;
  };
  std::map<Index, Part> parts_;
  std::map<int, double> seconds_;  ///< dealt out to each worker
};

}  // namespace espalier
