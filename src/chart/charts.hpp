// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"

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

/// Draws when each task ran on which worker or workers, coloured by kind, and below them the copies
/// to and from devices, on an axis of so many seconds; one rect of class "task" a task, of class
/// "copy" a copy.
std::string gantt_chart(const Schedule& schedule, std::string_view title, double seconds);

/// Draws for each worker the seconds in tasks of each kind, one upon the other.
std::string work_chart(const Schedule& schedule);

/// Draws how many tasks took how long, in classes of a third of a power of ten, coloured by kind.
std::string duration_chart(const Schedule& schedule);

/// Draws a dot for each task: predicted seconds to the right, measured ones upwards, both
/// logarithmic.
std::string prediction_chart(const Schedule& schedule);

/// Draws how often CPUs and devices did each operation of a phase, logarithmic (symPACK, figure 6);
/// one rect of class "operation" for each that was done.
std::string operation_chart(const std::vector<OperationReport>& done, std::string_view phase);

/// Draws how many tasks were in the queues of a rank over the factorization (symPACK, section 3.4),
/// logarithmic, an empty queue below one task; one circle of class "queue" a sample.
std::string queue_chart(const QueueSizesReport& sizes);

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

/// Values at the same places, which are equally far apart.
struct ValueChart {
  struct Series {
    std::string label;
    std::vector<double> values;                 ///< by place; NaN where there is none
    std::function<std::string(double)> text{};  ///< how people read a value
  };
  std::string title;
  std::string places_are;
  std::vector<std::string> places;
  std::vector<Series> series;
  bool logarithmic = false;  ///< of lines, the values' axis
};

/// Draws a group of horizontal bars for each place, from zero; one rect of class "bar" a value.
std::string bar_groups(const ValueChart& chart);

/// Draws a line over the places for each series, which has at least one value above zero; one
/// circle of class "value" a value.
std::string value_lines(const ValueChart& chart);

}  // namespace espalier::internal
