// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace espalier::internal {

/// Random numbers that depend only on the seed, not on the compiler.
class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : generator_(seed) {}

  /// Returns a number in [0, 1).
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  /// Returns a number in [0, count).
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(count));
  }

 private:
  std::mt19937_64 generator_;
};

/// Temperatures, in units of the minimized value: a step that makes the value worse by the
/// temperature is accepted with probability 1/e.
struct Cooling {
  double hottest;
  double coldest;
};

/// A state that is better than all states before it.
template <class State>
struct Improvement {
  State state;
  double value;
};

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983). From `start`, tries
/// steps to move(state, spent). A step is accepted if value(state) falls, or, more and more rarely,
/// if it rises. The temperature falls geometrically with spent(), the used share of the budget; the
/// search ends at 1. Returns the start and every state that was better than all before it; the last
/// one is the best.
template <class State, class Value, class Move, class Spent>
std::vector<Improvement<State>> anneal(State start, Value value, Move move, Spent spent,
                                       const Cooling& cooling, RandomNumbers& random) {
  Improvement<State> current{start, value(start)};
  std::vector<Improvement<State>> improvements{current};
  // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): share is measured, not counted
  for (double share = spent(); share < 1; share = spent()) {
    const double temperature = cooling.hottest * std::pow(cooling.coldest / cooling.hottest, share);
    State next = move(current.state, share);
    const double reached = value(next);
    if (!(random.uniform() < std::exp((current.value - reached) / temperature))) continue;
    current = {std::move(next), reached};
    if (reached < improvements.back().value) improvements.push_back(current);
  }
  return improvements;
}

}  // namespace espalier::internal
