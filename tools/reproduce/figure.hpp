// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "reproduce/verdict.hpp"

namespace espalier::internal {

/// A column of a figure's table, or a curve of its picture, with a value per row.
struct Column {
  std::string label;
  Unit unit = Unit::factor;
  std::vector<Value> values;
  /// Columns of one group share a picture and its title, such as a matrix; may be empty.
  std::string group{};
};

/// A reproduced figure or table of a paper.
struct Figure {
  enum class Picture { none, bars, lines };

  std::string subject;     ///< the matrix of a figure about one, which completes its title
  std::string conditions;  ///< the runs, and their differences from the paper
  std::string not_run;     ///< reason why it was not reproduced here; empty if it was
  std::string rows_are;    ///< heading of the rows, and title of the horizontal axis of lines
  std::vector<std::string> rows;
  /// Places of the rows on the horizontal axis of lines; the axis is logarithmic if it says so.
  std::vector<double> positions;
  bool logarithmic_positions = false;
  std::string values_are;  ///< title of the axis of values
  std::vector<Column> columns;
  Picture picture = Picture::none;
  bool logarithmic = false;  ///< for lines: the axis of values is logarithmic
  std::vector<Claim> claims;
  std::vector<std::string> failures;  ///< messages of failed runs, which left gaps
};

}  // namespace espalier::internal
