// SPDX-License-Identifier: BSD-3-Clause
#include "solver/lower_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::internal {

namespace {

/// Calls f(column, rows, values, inside) for each column of L, from the diagonal downwards. The
/// first `inside` rows belong to the triangle of the panel.
template <class F>
void for_each_column(const PanelStructure& structure, std::span<const double> values, F f) {
  for (Index p = 0; p < structure.panels(); ++p) {
    const auto rows = structure.rows(p);
    const double* column = values.data() + structure.value_begin[p];
    for (Index j = 0; j < structure.width(p); ++j, column += rows.size()) {
      f(structure.panel_begin[p] + j, rows.subspan(j), column + j, structure.width(p) - j);
    }
  }
}

}  // namespace

LowerFactor lower_factor(const PanelStructure& structure, std::span<const double> values,
                         const PivotSigns& signs, ExplicitZeros zeros) {
  const auto is_wanted = [zeros](double value) {
    return value != 0 || zeros == ExplicitZeros::kept;
  };
  LowerFactor l;
  l.column_begin.reserve(static_cast<std::size_t>(structure.n) + 1);
  l.column_begin.push_back(0);
  for_each_column(structure, values,
                  [&](Index, std::span<const Index> rows, const double* value, Index) {
                    l.column_begin.push_back(l.column_begin.back() +
                                             std::count_if(value, value + rows.size(), is_wanted));
                  });
  l.row.reserve(static_cast<std::size_t>(l.column_begin.back()));
  l.value.reserve(static_cast<std::size_t>(l.column_begin.back()));
  for_each_column(structure, values,
                  [&](Index j, std::span<const Index> rows, const double* value, Index inside) {
                    const double sign = signs.empty() ? 1 : *signs.at(j);
                    for (Index i = 0; i < std::ssize(rows); ++i) {
                      if (!is_wanted(value[i])) continue;
                      l.row.push_back(rows[i]);
                      l.value.push_back(i < inside ? value[i] : sign * value[i]);
                    }
                  });
  return l;
}

std::vector<double> diagonal_of(const PanelStructure& structure, std::span<const double> values) {
  std::vector<double> diagonal(static_cast<std::size_t>(structure.n));
  for_each_column(
      structure, values,
      [&](Index j, std::span<const Index>, const double* value, Index) { diagonal[j] = *value; });
  return diagonal;
}

namespace {

void multiply(Determinant& product, double factor) {
  int shift = 0;
  product.mantissa = std::frexp(product.mantissa * factor, &shift);
  product.exponent += shift;
}

}  // namespace

Determinant determinant_of(std::span<const double> diagonal, const SignCounts& counts,
                           std::span<const double> scale) {
  if (counts.zero > 0) return {0, 0};
  Determinant product;
  for (const double number : diagonal) multiply(product, number);
  Determinant square{product.mantissa, 2 * product.exponent};
  multiply(square, product.mantissa);
  for (const double factor : scale) multiply(square, 1 / (factor * factor));
  if (counts.negative % 2 == 1) square.mantissa = -square.mantissa;
  return square;
}

Determinant product_of(std::span<const Determinant> factors) {
  Determinant product;
  for (const Determinant& factor : factors) {
    if (factor.mantissa == 0) return {0, 0};
    multiply(product, factor.mantissa);
    product.exponent += factor.exponent;
  }
  return product;
}

}  // namespace espalier::internal

namespace espalier {

double Determinant::value() const {
  constexpr Count far = 1 << 20;  // larger than the exponent of any double
  return std::ldexp(mantissa, static_cast<int>(std::clamp(exponent, -far, far)));
}

double Determinant::log() const {
  constexpr double log_of_two = 0.69314718055994530942;
  return std::log(std::abs(mantissa)) + static_cast<double>(exponent) * log_of_two;
}

}  // namespace espalier
