// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/report.hpp"

namespace espalier::internal {

// Each function returns an svg element.

/// A bar with what it stands for.
struct Bar {
  std::string label;
  double value = 0;
  double lowest = 0;  ///< ends of the whisker
  double highest = 0;
};

/// Draws horizontal bars of seconds with their spread.
std::string time_bars(const std::vector<Bar>& bars);

/// Draws when each task ran on which worker or workers, coloured by kind, on an axis of so many
/// seconds; one rect of class "task" a task.
std::string gantt_chart(const Schedule& schedule, std::string_view title, double seconds);

/// Draws for each worker the seconds in tasks of each kind, one upon the other.
std::string work_chart(const Schedule& schedule);

/// Draws how many tasks took how long, in classes of a third of a power of ten, coloured by kind.
std::string duration_chart(const Schedule& schedule);

/// Draws a dot for each task: predicted seconds to the right, measured ones upwards, both
/// logarithmic.
std::string prediction_chart(const Schedule& schedule);

/// Times over numbers of cores.
struct Curve {
  struct Point {
    double cores;
    double seconds;
  };
  std::string label;
  std::vector<Point> points;  ///< by ascending cores
};

/// Draws each curve with logarithmic axes, and from its first point the line of ideal speed-up.
std::string scaling_chart(const std::vector<Curve>& curves);

}  // namespace espalier::internal
