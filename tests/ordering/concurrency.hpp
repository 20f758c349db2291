// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Returns the results of `order` if `threads` threads call it `calls` times each at the same time.
inline std::vector<std::vector<Index>> concurrent_orders(
    int threads, int calls, const std::function<Permutation()>& order) {
  std::vector<std::vector<Index>> results(threads * calls);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (int c = 0; c < calls; ++c) results[t * calls + c] = order().old_of;
    });
  }
  for (std::thread& thread : running) thread.join();
  return results;
}

}  // namespace espalier::internal
