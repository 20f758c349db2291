// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// What the values of a column are.
enum class Unit { seconds, factor, percent, count, flops, rate };

/// A column of a figure's table, or a curve of its picture: a value for each row, NaN where there
/// is none.
struct Column {
  std::string label;
  Unit unit = Unit::factor;
  std::vector<double> values;
};

/// What a paper says that a figure shows, and whether it does here.
struct Claim {
  std::string text;
  bool holds = false;
  std::string found;  ///< the numbers that decide
};

/// A figure or table of a paper, made again.
struct Figure {
  enum class Picture { none, bars, lines };

  std::string conditions;  ///< what ran here, and what differs from the paper
  std::string rows_are;    ///< the heading of the rows; below the picture, what goes across
  std::vector<std::string> rows;
  std::vector<Column> columns;
  Picture picture = Picture::none;
  bool logarithmic = false;  ///< the picture's values; across it is so for lines
  std::vector<Claim> claims;
};

/// Returns a value as people read it: "12.3 ms", "1.84", "37.5 %"; "-" for NaN.
std::string readable(double value, Unit unit);

/// Returns the geometric mean of those values that are there, NaN where none is.
double mean_factor(const std::vector<double>& values);

/// Returns a over b, value by value.
std::vector<double> over(const std::vector<double>& a, const std::vector<double>& b);

/// Returns how many values of `less` are below those of `more` at their places, as "5 of 6", and
/// whether all are, of those that are there.
struct Below {
  std::string text;
  bool all = false;
};
Below below(const std::vector<double>& less, const std::vector<double>& more);

}  // namespace espalier::internal
