// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "distributed/factor_data.hpp"
#include "distributed/rank_scaling.hpp"
#include "distributed/rank_system.hpp"
#include "solver/pivots.hpp"

/// \file
/// The pivots of L J Lᵀ on several ranks.

namespace espalier::internal {

std::span<const double> DistributedFactorData::values_to_factor() {
  NumericFactor& numeric = *state.numeric;
  if (!chooses_pivots(state)) {
    numeric.set_scale({});
    return distribution.values();
  }
  agree(ranks.comm, [&] {
    prepare_pivots(numeric);
    scaled.values.resize(distribution.values().size());
  });
  scale_on_ranks(ranks.comm, distribution.part().structure, numeric.context().entries,
                 distribution.values(), scaled);
  numeric.set_scale(scaled.factors);
  return scaled.values;
}

namespace {

/// Returns the numbers of pivots of all ranks. Only the rank that owns a column counts it.
SignCounts count_on_ranks(const Communicator& comm, const PivotSigns& signs,
                          std::span<const Index> kept) {
  SignCounts own;
  for (const Index column : kept) own.add(signs, column);
  std::array<double, 3> all{static_cast<double>(own.positive), static_cast<double>(own.negative),
                            static_cast<double>(own.zero)};
  comm.add_up(all);
  return {static_cast<Index>(all[0]), static_cast<Index>(all[1]), static_cast<Index>(all[2])};
}

/// Returns the columns with marks.
std::vector<Index> marked(std::span<const double> marks) {
  std::vector<Index> columns;
  for (Index column = 0; column < std::ssize(marks); ++column) {
    if (marks[column] != 0) columns.push_back(column);
  }
  return columns;
}

}  // namespace

std::optional<SignedPivotFacts> DistributedFactorData::pivots() {
  if (!state.factored || state.options.factorization == Factorization::llt) return std::nullopt;
  const LocalStructure& structure = distribution.part().structure;
  const PivotSigns& signs = state.numeric->context().signs;
  std::vector<double> squares = row_squares(structure, *state.numeric);
  vectors.add_up_shared(squares, 1);
  const std::span<const double> factored =
      chooses_pivots(state) ? scaled.values : distribution.values();
  std::array<double, 2> largest{largest_or_nan(squares), largest_magnitude(factored)};
  vectors.find_largest(largest);
  const SignCounts counts = count_on_ranks(ranks.comm, signs, vectors.kept());
  const std::vector<std::uint8_t> own = in_order_of_l(structure, signs.chosen, signs.replaced);
  const std::vector<double> replaced =
      vectors.gather(std::vector<double>(own.begin(), own.end()), 1);
  std::vector<double> norms = row_norms(signs, squares, own);
  const std::span<const double> scale = state.numeric->scale();
  for (std::size_t row = 0; row < scale.size(); ++row) norms[row] /= scale[row];
  norms = vectors.gather(norms, 1);
  RankSystem system(ranks.comm, *state.numeric, *matrix, vectors);
  const double inverse_norm = scaled_inverse_norm(norms, [&](std::span<double> x) {
    std::vector<double> part = vectors.scatter(x, 1);
    system.solve(part, part, 1);
    std::ranges::copy(vectors.gather(part, 1), x.begin());
  });
  if (!ranks.comm.is_root()) return std::nullopt;
  SignedPivotFacts facts = facts_of(signs, counts, marked(replaced));
  facts.growth = growth(largest[0], largest[1]);
  facts.inverse_norm = inverse_norm;
  return facts;
}

}  // namespace espalier::internal
