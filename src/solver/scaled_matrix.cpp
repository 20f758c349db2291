// SPDX-License-Identifier: BSD-3-Clause
#include "solver/scaled_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "base/scalar.hpp"
#include "scaling/equilibration.hpp"
#include "solver/matrix.hpp"

namespace espalier::internal {

void ScaledMatrix::scale(const MatrixData& matrix) {
  const PatternView pattern = *matrix.pattern;
  const std::span<const double> given = matrix.value;
  const bool finite = std::ranges::all_of(given, [](double value) { return std::isfinite(value); });
  factors = finite ? equilibration({pattern, given})
                   : std::vector<double>(static_cast<std::size_t>(pattern.n), 1.0);
  values.resize(given.size());
  for (Index j = 0; j < pattern.n; ++j) {
    const auto rows = pattern.column(j);
    const Count begin = pattern.column_begin[j];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      values[begin + k] = given[begin + k] * (factors[rows[k]] * factors[j]);
    }
  }
}

Count scaled_matrix_bytes(Index n, Count entries, const FactorOptions& options) {
  return options.factorization == Factorization::llt ? 0 : scalar.bytes_of(n + entries);
}

}  // namespace espalier::internal
