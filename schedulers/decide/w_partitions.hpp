// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
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
  /// of the partition that it joins, which the chosen worker owns, or nobody where none can.
  Index arrive_alone(std::span<const int> able, double seconds) {
    if (able.empty()) {
      arrive(nobodys);
      return nobodys;
    }
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

  /// Where the worker finds its next task: the first partition that `has_one` of those that the
  /// worker owns, else of those that nobody owns.
  template <class HasOne>
  std::optional<Index> choose(int worker, HasOne has_one) const {
    for (const int owner : {worker, -1}) {
      for (const auto& [number, part] : parts_) {
        if (part.ready > 0 && part.owner == owner && has_one(number)) return number;
      }
    }
    return std::nullopt;
  }

  /// The worker starts a task of it.
  void take(Index number, int worker) {
    Part& part = parts_.at(number);
    if (number != nobodys) part.owner = worker;
    --part.ready;
  }

  /// The worker will take no more: what it owns is anybody's.
  void leave(int worker) {
    for (auto& [number, part] : parts_) {
      if (part.owner == worker) part.owner = -1;
    }
  }

 private:
  static constexpr Index nobodys = std::numeric_limits<Index>::min();

  struct Part {
    int owner = -1;
    Count ready = 0;
  };
  std::map<Index, Part> parts_;
  std::map<int, double> seconds_;  ///< dealt out to each worker
};

}  // namespace espalier
