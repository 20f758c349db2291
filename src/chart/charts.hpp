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

/// A bar with a label and a whisker.
struct Bar {
  std::string label;
  double value = 0;
  double lowest = 0;  ///< ends of the whisker
  double highest = 0;
};

/// Draws horizontal bars of seconds with their spread.
std::string time_bars(const std::vector<Bar>& bars);

/// Draws a Gantt chart of the tasks, one row per worker, coloured by kind. Below it are the copies
/// to and from devices. The axis has `seconds` seconds. Each task is one rect of class "task", each
/// copy one of class "copy".
///
/// \param schedule Tasks and copies. Tasks of an application may have any names as kinds, and no
///     sizes.
/// \param title Title of the picture, for screen readers.
/// \param seconds Length of the axis.
/// \param note Text below the chart; may be empty.
/// \param start Start of the axis: "time since the start of ...".
std::string gantt_chart(const Schedule& schedule, std::string_view title, double seconds,
                        std::string_view note = "", std::string_view start = "the factorization");

/// Draws the seconds of each worker in tasks, stacked by kind.
std::string work_chart(const Schedule& schedule);

/// Draws the number of tasks by duration, in classes of a third of a power of ten, coloured by
/// kind.
std::string duration_chart(const Schedule& schedule);

/// Draws a dot per task: predicted seconds to the right, measured seconds upwards, both
/// logarithmic.
std::string prediction_chart(const Schedule& schedule);

/// Draws the number of operations of a phase on CPUs and devices, logarithmic (symPACK, figure 6).
/// Each bar is one rect of class "operation".
std::string operation_chart(const std::vector<OperationReport>& done, std::string_view phase);

/// Draws the number of tasks in the queues of a rank during the factorization (symPACK, section
/// 3.4), logarithmic. An empty queue is drawn below one task. Each sample is one circle of class
/// "queue".
std::string queue_chart(const QueueSizesReport& sizes);

/// Times for several numbers of cores.
struct Curve {
  struct Point {
    double cores;
    double seconds;
  };
  std::string label;
  std::vector<Point> points;  ///< by ascending number of cores
};

/// Draws each curve with logarithmic axes, and the line of ideal speed-up from its first point.
std::string scaling_chart(const std::vector<Curve>& curves);

/// Series of values at places along an axis. All series have the same places.
struct ValueChart {
  struct Series {
    std::string label;
    std::vector<double> values;  ///< for each place; NaN if it has no value
    /// Ends of the whisker of each value; equal to the value if it has none.
    std::vector<double> lowest;
    std::vector<double> highest;
    std::function<std::string(double)> text{};  ///< formats a value with its unit
  };
  std::string title;       ///< of the picture, for screen readers
  std::string places_are;  ///< title of the axis of places
  std::string values_are;  ///< title of the axis of values
  std::vector<std::string> places;
  std::vector<double> positions{};  ///< for lines: the places on their axis, ascending
  bool logarithmic_positions = false;
  std::vector<Series> series{};
  bool logarithmic = false;  ///< for lines: the axis of the values is logarithmic
};

/// Draws a group of horizontal bars for each place, from zero. Each value is one rect of class
/// "bar", and each whisker one line of class "whisker".
std::string bar_groups(const ValueChart& chart);

/// Draws a line for each series with a value above zero. Each value is one circle of class "value",
/// and each whisker one line of class "whisker".
std::string value_lines(const ValueChart& chart);

}  // namespace espalier::internal
