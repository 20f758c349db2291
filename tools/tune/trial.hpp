// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/tuning.hpp"
#include "espalier/espalier.hpp"

namespace espalier {

/// Medians of the times of factorizations, and the tasks of some.
struct Trial {
  double with_defaults = 0;
  double tuned = 0;
  std::vector<TaskRun> tasks;
};

/// Factorizes with the defaults and with the tuning by turns, `rounds` times, after some of each to
/// warm up. Throws NotPositiveDefinite.
Trial measure_tuning(const Runtime& runtime, const Matrix& matrix, const Tuning& tuning,
                     Index rounds);

}  // namespace espalier
