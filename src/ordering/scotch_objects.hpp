// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <scotch.h>

#include <mutex>

namespace espalier::internal {

/// An object of Scotch's, released at the end.
template <typename Handle, auto initialise, auto release>
struct ScotchObject {
  ScotchObject() { initialise(&handle); }
  ~ScotchObject() { release(&handle); }
  ScotchObject(const ScotchObject&) = delete;
  ScotchObject& operator=(const ScotchObject&) = delete;
  Handle handle;
};

using ScotchStrategy = ScotchObject<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using ScotchContext = ScotchObject<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using ScotchGraph = ScotchObject<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;

/// One thread and one seed, so that results repeat, and a strategy read by `parse`. Scotch clones a
/// global generator and parses strategies with static state: one caller at a time. False where
/// Scotch fails.
inline bool prepare_scotch(ScotchContext& context, ScotchStrategy& strategy,
                           int (*parse)(SCOTCH_Strat*, const char*), const char* text) {
  constexpr SCOTCH_Num seed = 1;
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  if (SCOTCH_contextRandomClone(&context.handle) != 0) return false;
  SCOTCH_contextRandomSeed(&context.handle, seed);
  return SCOTCH_contextThreadSpawn(&context.handle, 1, nullptr) == 0 &&
         parse(&strategy.handle, text) == 0;
}

}  // namespace espalier::internal
