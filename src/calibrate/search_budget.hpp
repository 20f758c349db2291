// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/clock.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

struct SearchOptions {
  double seconds = 60;
  Index iterations = 0;  ///< if positive, the search ends after this number of steps, not by time
  unsigned seed = 1;
  /// Estimated time of an evaluation if the search is part of an analysis; else 0. A search with an
  /// estimate ends before an evaluation that would exceed the time of the search. It expects the
  /// next evaluation to take as long as the estimate or as the longest evaluation so far, whichever
  /// is longer. The result of the search is not simplified.
  double evaluation_seconds = 0;
};

/// The used share of a search: of its steps if their number is limited, otherwise of its time.
class Budget {
 public:
  explicit Budget(const SearchOptions& options)
      : options_(options), longest_evaluation_(options.evaluation_seconds) {}

  /// Must be called before each evaluation.
  double spent() {
    const double steps = steps_++;
    if (options_.iterations > 0) return steps / options_.iterations;
    const double now = watch_.seconds();
    longest_evaluation_ = std::max(longest_evaluation_, now - last_);
    last_ = now;
    const bool strict = options_.evaluation_seconds > 0;
    return strict && now + longest_evaluation_ > options_.seconds ? 1 : now / options_.seconds;
  }

 private:
  const SearchOptions& options_;
  double steps_ = 0;
  double last_ = 0;
  double longest_evaluation_;
  Stopwatch watch_;
};

}  // namespace espalier::internal
