// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "distributed/factor_data.hpp"
#include "distributed/rank_scaling.hpp"
#include "distributed/rank_system.hpp"
#include "espalier/mpi.hpp"
#include "solver/lower_factor.hpp"
#include "solver/pivots.hpp"
#include "solver/singularity.hpp"

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

/// Returns the numbers of pivots of this rank, which are those of its columns.
SignCounts count_of_rank(const PivotSigns& signs, std::span<const Index> kept) {
  SignCounts own;
  for (const Index column : kept) own.add(signs, column);
  return own;
}

/// Returns the numbers of pivots of all ranks.
SignCounts count_on_ranks(const Communicator& comm, const SignCounts& own) {
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
  const LocalStructure& structure = distribution.part().structure;
  const PivotSigns& signs = state.numeric->context().signs;
  std::vector<double> squares = row_squares(structure, *state.numeric);
  vectors.add_up_shared(squares, 1);
  const std::span<const double> factored =
      chooses_pivots(state) ? scaled.values : distribution.values();
  std::array<double, 2> largest{max_abs(squares), max_abs(factored)};
  vectors.find_largest(largest);
  const SignCounts counts = count_on_ranks(ranks.comm, count_of_rank(signs, vectors.kept()));
  const std::vector<std::uint8_t> own = in_order_of_l(structure, signs.chosen, signs.replaced);
  std::vector<double> replaced(own.begin(), own.end());
  replaced.resize(vectors.entries(1));  // L Lᵀ has no marks
  replaced = vectors.gather(replaced, 1);
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

Index DistributedFactorData::first_marked(std::span<const std::uint8_t> marks) const {
  const RankPart& part = distribution.part();
  const std::vector<std::uint8_t> marks_of_l =
      in_order_of_l(part.structure, state.numeric->context().signs.chosen, marks);
  Index first = none;
  for (const Index column : vectors.kept()) {
    if (marks_of_l[column] != 0) first = std::min(first, part.original[column]);
  }
  first = ranks.comm.least_of_all(first);
  return first == none ? -1 : first;
}

bool DistributedFactorData::is_singular() {
  const Communicator& comm = ranks.comm;
  NumericFactor& numeric = *state.numeric;
  const RankMatrix matrix_of_scaled(distribution.part().structure, numeric.context().entries,
                                    vectors, scaled.values);
  RankSystem system(comm, numeric, *matrix, vectors);
  std::vector<double> of_rank(vectors.entries(1));
  const auto solve = [&](std::span<double> x) { system.solve(x, x, 1); };
  const auto product = [&](std::span<const double> x, std::span<double> y) {
    std::ranges::copy(x, of_rank.begin());
    matrix_of_scaled.residual(std::vector<double>(of_rank.size()), of_rank, y, 1);
    vectors.clear_rows_of_others(y, 1);
    for (double& entry : y) entry = -entry;
  };
  const auto sum = [&](double own) {
    const std::vector<double> all = comm.gather_from_all(own);
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  const std::size_t rows = comm.is_root() ? static_cast<std::size_t>(distribution.facts().n) : 0;
  return internal::is_singular({scaled.factors, solve, product, sum},
                               vectors.scatter(random_numbers(rows), 1));
}

namespace {

/// Waits for tasks on handles. Throws UsageError if there is no factor. Collective.
DistributedFactorData& finished(DistributedFactorData& data) {
  data.settle();
  agree(data.ranks.comm, [&] { expect_factor(data.state); });
  return data;
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

Inertia DistributedFactor::inertia() const {
  DistributedFactorData& d = finished(*data_);
  const std::optional<SignedPivotFacts> facts = d.pivots();
  Inertia inertia = facts ? facts->inertia() : Inertia();
  d.ranks.comm.broadcast(inertia);
  return inertia;
}

Index DistributedFactor::singular_column() const {
  DistributedFactorData& d = finished(*data_);
  if (!chooses_pivots(d.state)) return -1;
  const PivotSigns& signs = d.state.numeric->context().signs;
  const Index null = d.first_marked(null_marks(signs));
  if (null >= 0) return null;
  const Index replaced = d.first_marked(signs.replaced);
  return replaced < 0 || !d.is_singular() ? -1 : replaced;
}

Determinant DistributedFactor::determinant() const {
  DistributedFactorData& d = finished(*data_);
  NumericFactor& numeric = *d.state.numeric;
  const std::span<const Index> kept = d.vectors.kept();
  const auto of_kept = [&](std::span<const double> all) {
    std::vector<double> some;
    for (const Index column : kept) some.push_back(all[column]);
    return some;
  };
  const std::vector<double> diagonal = diagonal_of(d.distribution.part().structure, numeric);
  const std::span<const double> scale = numeric.scale();
  const Determinant own =
      determinant_of(of_kept(diagonal), count_of_rank(numeric.context().signs, kept),
                     scale.empty() ? std::vector<double>() : of_kept(scale));
  return product_of(d.ranks.comm.gather_from_all(own));
}

double DistributedFactor::log_determinant() const { return determinant().log(); }

}  // namespace espalier
