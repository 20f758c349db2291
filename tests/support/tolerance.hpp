// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "base/dense.hpp"
#include "espalier/types.hpp"

namespace espalier::internal::support {

/// The tolerance of every numeric comparison: c (n + 1) eps with c = 8, n the length of the longest
/// sum that rounding errors pass through (Higham, "Accuracy and stability of numerical algorithms",
/// 2002, sections 3.1 and 10.1: errors of dot products and of Cholesky grow at most like that).
double tolerance(Count n);

/// |actual - expected| <= tolerance(n) * scale. Fails where a number involved is not finite.
testing::AssertionResult close(double actual, double expected, double scale, Count n);

/// Entry by entry, with the largest |expected| as scale, and `growth` times the tolerance: a bound
/// on how much the computation magnifies errors, a condition number in most cases.
testing::AssertionResult close(std::span<const double> actual, std::span<const double> expected,
                               Count n, double growth = 1);
testing::AssertionResult close(ConstMatrixView actual, ConstMatrixView expected, Count n,
                               double growth = 1);
/// The lower trapezoid only.
testing::AssertionResult close_lower(ConstMatrixView actual, ConstMatrixView expected, Count n,
                                     double growth = 1);

}  // namespace espalier::internal::support
