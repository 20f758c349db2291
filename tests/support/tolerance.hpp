// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "base/dense.hpp"
#include "espalier/types.hpp"

namespace espalier::internal::support {

/// Tolerance of all numeric comparisons: c (n + 1) eps with c = 8. n is the length of the longest
/// sum through which rounding errors pass (Higham, "Accuracy and stability of numerical
/// algorithms", 2002, sections 3.1 and 10.1: errors of dot products and of Cholesky grow at most
/// like that).
double tolerance(Count n);

/// Checks |actual - expected| <= tolerance(n) * scale. Fails if a number is not finite.
testing::AssertionResult close(double actual, double expected, double scale, Count n);

/// Compares entry by entry. The scale is the largest |expected|. The tolerance is multiplied by
/// `growth`, a bound on the amplification of errors, which is usually a condition number.
testing::AssertionResult close(std::span<const double> actual, std::span<const double> expected,
                               Count n, double growth = 1);
testing::AssertionResult close(ConstMatrixView actual, ConstMatrixView expected, Count n,
                               double growth = 1);
/// Compares only the lower trapezoid.
testing::AssertionResult close_lower(ConstMatrixView actual, ConstMatrixView expected, Count n,
                                     double growth = 1);

}  // namespace espalier::internal::support
