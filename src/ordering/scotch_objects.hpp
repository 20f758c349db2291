// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <scotch.h>

#include <mutex>

namespace espalier::internal {

/// Object of Scotch that is released by the destructor.
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

/// Prepares a context with one thread and a fixed seed, so that results are reproducible, and a
/// strategy that `parse` reads. Scotch clones a global generator and parses strategies with static
/// state. Therefore a mutex admits one caller at a time. Returns false if Scotch fails.
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
