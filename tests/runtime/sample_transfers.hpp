// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/dense.hpp"
#include "codelets/task_list.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal::support {

/// Messages between ranks in one process, as copies.
class SampleTransfers {
 public:
  void send(Index from, Index to, Index tag, ConstMatrixView view) {
    std::vector<double>& sent = on_the_way_[{from, to, tag}];
    sent.clear();
    for (Index j = 0; j < view.columns; ++j) {
      sent.insert(sent.end(), view.column(j), view.column(j) + view.rows);
    }
  }
  /// Returns false if the message is not sent yet.
  bool receive(Index from, Index to, Index tag, MatrixView view) {
    const auto sent = on_the_way_.find({from, to, tag});
    if (sent == on_the_way_.end()) return false;
    EXPECT_EQ(std::ssize(sent->second), static_cast<Count>(view.rows) * view.columns);
    auto at = sent->second.begin();
    for (Index j = 0; j < view.columns; ++j, at += view.rows) {
      std::copy_n(at, view.rows, view.column(j));
    }
    on_the_way_.erase(sent);
    return true;
  }
  bool empty() const { return on_the_way_.empty(); }

 private:
  std::map<std::tuple<Index, Index, Index>, std::vector<double>> on_the_way_;
};

/// Progress of a rank in its tasks and messages.
struct Progress {
  std::size_t task = 0;
  std::size_t message = 0;

  /// Continues as long as `deliver` succeeds. Returns whether there was any progress.
  template <class Tasks, class Run, class Deliver>
  bool advance(const Tasks& tasks, std::span<const Message> messages, Run run, Deliver deliver) {
    const Progress before = *this;
    while (message < messages.size() || task < tasks.size()) {
      if (message == messages.size() || messages[message].before > static_cast<Index>(task)) {
        run(tasks[task++]);
      } else if (!deliver(messages[message])) {
        break;
      } else {
        ++message;
      }
    }
    return task != before.task || message != before.message;
  }
};

/// Calls advance(rank) for every rank until no rank makes progress.
template <class Advance>
void run_all(std::size_t ranks, Advance advance) {
  bool moved = true;
  while (std::exchange(moved, false)) {
    for (std::size_t r = 0; r < ranks; ++r) moved |= advance(static_cast<Index>(r));
  }
}

}  // namespace espalier::internal::support
