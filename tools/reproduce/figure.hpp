// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// Unit of the values in a column.
enum class Unit { seconds, factor, percent, count, flops, rate };

/// A column of a figure's table, or a curve of its picture. It has a value per row, NaN if missing.
struct Column {
  std::string label;
  Unit unit = Unit::factor;
  std::vector<double> values;
};

/// A claim of a paper about a figure, and whether it holds in these runs.
struct Claim {
  std::string text;
  bool holds = false;
  std::string found;  ///< the numbers that decide
};

/// A reproduced figure or table of a paper.
struct Figure {
  enum class Picture { none, bars, lines };

  std::string conditions;  ///< the runs, and their differences from the paper
  std::string rows_are;    ///< heading of the rows, and label of the horizontal axis
  std::vector<std::string> rows;
  std::vector<Column> columns;
  Picture picture = Picture::none;
  /// For the values of the picture; a line chart then also has a logarithmic horizontal axis.
  bool logarithmic = false;
  std::vector<Claim> claims;
};

/// Returns the value as text: "12.3 ms", "1.84", "37.5 %"; "-" for NaN.
std::string readable(double value, Unit unit);

/// Returns the geometric mean of the values that are not NaN, or NaN if there are none.
double mean_factor(const std::vector<double>& values);

/// Returns the quotients of a and b, value by value.
std::vector<double> over(const std::vector<double>& a, const std::vector<double>& b);

/// Result of below(): the number of smaller values as "5 of 6", and whether all are smaller. NaN
/// values are not counted.
struct Below {
  std::string text;
  bool all = false;
};
Below below(const std::vector<double>& less, const std::vector<double>& more);

}  // namespace espalier::internal
