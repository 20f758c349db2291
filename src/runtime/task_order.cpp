// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/task_order.hpp"

#include <algorithm>
#include <numeric>

#include "base/memory.hpp"

namespace espalier::internal {

namespace {

using Use = TaskOrder::Use;

/// All accesses, ordered by their data, and for the same data in the order of the list.
struct Uses {
  std::vector<Index> begin;  ///< by piece of data, and one more
  std::vector<Use> use;

  std::span<const Use> of(std::size_t data) const {
    return std::span(use).subspan(begin[data], begin[data + 1] - begin[data]);
  }

  Uses(const TaskList& list, std::span<const Index> access_begin)
      : begin(list.data.size() + 1), use(access_begin.back()) {
    for (const BoundTask& task : list.task) {
      for (const Access& access : list.accesses(task)) ++begin[access.data + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (Index t = 0; t < static_cast<Index>(list.task.size()); ++t) {
      Index position = access_begin[t];
      for (const Access& access : list.accesses(list.task[t])) {
        use[next[access.data]++] = {t, position++, access.mode};
      }
    }
  }
};

bool share_a_phase(AccessMode before, AccessMode mode) {
  return before == mode && (mode == AccessMode::read || mode == AccessMode::add);
}

}  // namespace

TaskOrder::TaskOrder(const TaskList& list) : waits_(list.task.size()) {
  access_begin_.reserve(list.task.size() + 1);
  access_begin_.push_back(0);
  for (const BoundTask& task : list.task) {
    access_begin_.push_back(access_begin_.back() +
                            static_cast<Index>(task.access_end - task.access_begin));
  }
  const Uses uses(list, access_begin_);
  phase_of_access_.resize(uses.use.size());
  member_.reserve(uses.use.size());
  for (std::size_t d = 0; d < list.data.size(); ++d) append_phases(uses.of(d));
  phase_begin_.push_back(static_cast<Index>(member_.size()));
  for (Index t = 0; t < tasks(); ++t) {
    std::sort(phase_of_access_.begin() + access_begin_[t],
              phase_of_access_.begin() + access_begin_[t + 1]);
  }
}

void TaskOrder::append_phases(std::span<const Use> uses) {
  const Index first = static_cast<Index>(phase_begin_.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i == 0 || !share_a_phase(uses[i - 1].mode, uses[i].mode)) {
      phase_begin_.push_back(static_cast<Index>(member_.size()));
      is_last_.push_back(false);
      takes_turns_.push_back(false);
    } else if (uses[i].mode == AccessMode::add) {
      takes_turns_.back() = true;
    }
    const Index phase = static_cast<Index>(phase_begin_.size()) - 1;
    phase_of_access_[uses[i].access] = phase;
    member_.push_back(uses[i].task);
    if (phase > first) ++waits_[uses[i].task];
  }
  if (!uses.empty()) is_last_.back() = true;
}

Count TaskOrder::bytes() const {
  return bytes_of(waits_) + bytes_of(access_begin_) + bytes_of(phase_of_access_) +
         bytes_of(phase_begin_) + bytes_of(member_);
}

}  // namespace espalier::internal
