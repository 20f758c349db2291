// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Unit of the values in a column.
enum class Unit { seconds, factor, percent, count, flops, flop_rate, rate };

/// A number of a figure: the median of its runs, and their range. All are NaN if the number is
/// missing.
struct Value {
  double median = std::numeric_limits<double>::quiet_NaN();
  double lowest = median;
  double highest = median;
  /// Number of runs behind the number; 0 if it was counted or simulated, so that it has no spread.
  Index runs = 0;

  bool missing() const { return !(median == median); }
};

/// Returns a number without spread.
Value exact(double value);

/// Returns the number for these runs. The range leaves out a fifth of the runs at each end, rounded
/// down, because other programs disturb single runs. `runs` must not be empty.
Value of_runs(const std::vector<double>& runs);

// The range of a result is that of interval arithmetic, so it is never too small. The median of a
// divisor must be positive. If its range reaches zero, the range of the quotient has no upper end.
Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);

/// Returns the results of the operation, value by value.
std::vector<Value> over(const std::vector<Value>& a, const std::vector<Value>& b);
std::vector<Value> plus(const std::vector<Value>& a, const std::vector<Value>& b);
std::vector<Value> minus(const std::vector<Value>& a, const std::vector<Value>& b);

/// Returns the geometric mean of the values that are not missing. It is missing if there are none.
Value mean_factor(const std::vector<Value>& values);

/// Returns the number as text: "12.3 ms", "1.84", "37.5 %"; "-" if it is NaN.
std::string readable(double value, Unit unit);

/// Returns the range as text, "11.9 ms to 13.0 ms", or an empty text if there is none.
std::string readable_range(const Value& value, Unit unit);

}  // namespace espalier::internal
