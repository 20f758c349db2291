// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What the workers with one memory have to do: those of the CPUs, or of one device. Seconds are
/// those predicted there.
struct SideLoad {
  Index workers = 0;
  Index busy = 0;      ///< of the workers, those that are at a task
  double begun = 0;    ///< seconds of the tasks that they are at, from the beginning
  double waiting = 0;  ///< seconds of the tasks that the side was given and has not begun
  double sooner = 0;   ///< of these, what goes before an urgent task
};

/// How often the seconds of copies count, for what is written on a side comes back, later tasks
/// have their data elsewhere, and a worker waits at either end. Beside devices that share all but
/// subtrees with the CPUs, as coprocessors do, data go to and fro: by simulations of 30
/// factorizations beside one with a slow, a middling or a fast link they take 1.12 times as long
/// (geometric mean) where copies count once, up to 2.0 times with the slow link. With devices that
/// only have D, F, and U, data stay where they are: 66 factorizations beside one to four CUDA
/// devices take 0.98 times as long where copies count once, beside four 0.97 times.
constexpr double counted_to_and_fro = 3;
constexpr double counted_to_stay = 1;

/// What a task takes on one side.
struct SideCost {
  double seconds = -1;                  ///< predicted there; negative where it cannot run
  double copies = 0;                    ///< seconds for what it reads and other memories alone have
  double counted = counted_to_and_fro;  ///< so often these count

  bool is_possible() const { return seconds >= 0; }
  double all() const { return seconds + counted * copies; }
};

/// Returns the seconds until a side would have ended a task: those for what it began, half of which
/// is done in the mean, for what waits there, of which an `urgent` task goes before some, for the
/// copies, and for the task.
inline double seconds_to_end(const SideLoad& side, const SideCost& task, bool urgent) {
  const double ahead =
      (side.busy < side.workers ? 0 : side.begun / 2) + (urgent ? side.sooner : side.waiting);
  return ahead / static_cast<double>(side.workers) + task.all();
}

/// Returns the side that a task is predicted to be ended on first (the rule of HEFT: Topcuoglu,
/// Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous
/// computing", 2002), the first of equal ones, or -1 where it can run on none. `task` has a cost
/// for each side.
inline Index first_to_end(std::span<const SideLoad> sides, std::span<const SideCost> task,
                          bool urgent) {
  Index first = -1;
  double least = 0;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    if (!task[s].is_possible() || sides[s].workers == 0) continue;
    const double end = seconds_to_end(sides[s], task[s], urgent);
    if (first >= 0 && end >= least) continue;
    first = static_cast<Index>(s);
    least = end;
  }
  return first;
}

/// Returns whether an idle worker takes over a task that waits for another side: where it ends it
/// before that side is predicted to have ended all that it has, or, if the task is `urgent`, to
/// have ended this one.
inline bool takes_over(const SideCost& here, SideLoad other, const SideCost& there, bool urgent) {
  if (!here.is_possible()) return false;
  if (!there.is_possible() || other.workers == 0) return true;
  other.waiting = std::max(0.0, other.waiting - there.seconds);
  return here.all() < seconds_to_end(other, there, urgent);
}

/// Returns whether an idle worker takes over a task that need not be ended sooner than it is here:
/// where that spares the other side more than the copies, whose way back it may have to wait for.
/// It would be idle otherwise: by simulations of 24 factorizations beside one or four devices they
/// take 0.60 to 1.0 times as long as where tasks are taken over only to end sooner, 0.86 times in
/// the geometric mean.
inline bool spares(const SideCost& here, const SideCost& there) {
  return here.is_possible() && there.seconds > here.copies;
}

}  // namespace espalier::internal
