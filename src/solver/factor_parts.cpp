// SPDX-License-Identifier: BSD-3-Clause
#include "espalier/factor_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/factor_data.hpp"
#include "solver/lower_factor.hpp"
#include "solver/pivots.hpp"
#include "solver/refinement.hpp"
#include "solver/singularity.hpp"

namespace espalier::internal {

std::vector<std::uint8_t> in_order_of_l(const FactorData& data,
                                        std::span<const std::uint8_t> marks) {
  return in_order_of_l(data.analysis->symbolic, data.state.numeric->context().signs.chosen, marks);
}

namespace {

/// Returns the columns of A whose pivots are marked, ascending.
std::vector<Index> marked_columns(const FactorData& data, std::span<const std::uint8_t> pivots) {
  const std::vector<std::uint8_t> marks = in_order_of_l(data, pivots);
  std::vector<Index> columns;
  for (std::size_t k = 0; k < marks.size(); ++k) {
    if (marks[k] != 0) columns.push_back(data.analysis->symbolic.permutation.old_of[k]);
  }
  std::ranges::sort(columns);
  return columns;
}

/// Returns the columns of A whose pivots were replaced, ascending.
std::vector<Index> replaced_columns(const FactorData& data) {
  return marked_columns(data, data.state.numeric->context().signs.replaced);
}

/// Returns the columns of A whose pivots were zero except for rounding errors, ascending.
std::vector<Index> null_columns(const FactorData& data) {
  return marked_columns(data, null_marks(data.state.numeric->context().signs));
}

/// Returns Factor::growth(), given the squares of the rows of L.
double growth_of(const FactorData& data, std::span<const double> squares) {
  const bool chosen = !data.state.numeric->context().signs.chosen.empty();
  const std::span<const double> values = chosen ? data.scaled.values : data.matrix->value;
  return growth(max_abs(squares), max_abs(values));
}

/// Returns norms of rows of A, given the squares of the rows of L.
std::vector<double> norms_of_a(const FactorData& data, std::span<const double> squares) {
  NumericFactor& numeric = *data.state.numeric;
  const std::vector<Index>& old_of = data.analysis->symbolic.permutation.old_of;
  const PivotSigns& signs = numeric.context().signs;
  const std::vector<double> scaled = row_norms(signs, squares, in_order_of_l(data, signs.replaced));
  std::vector<double> norms(squares.size());
  for (std::size_t k = 0; k < squares.size(); ++k) norms[old_of[k]] = scaled[k];
  const std::span<const double> scale = numeric.scale();
  for (std::size_t row = 0; row < scale.size(); ++row) norms[row] /= scale[row];
  return norms;
}

}  // namespace

SignedPivotFacts pivot_facts(const FactorData& data) {
  const SymbolicFactor& symbolic = data.analysis->symbolic;
  NumericFactor& numeric = *data.state.numeric;
  const PivotSigns& signs = numeric.context().signs;
  SignedPivotFacts facts = facts_of(signs, count_signs(signs, symbolic.n), replaced_columns(data));
  const std::vector<double> squares = row_squares({symbolic, sole_ownership(symbolic)}, numeric);
  facts.growth = growth_of(data, squares);
  facts.inverse_norm =
      scaled_inverse_norm(norms_of_a(data, squares), [&numeric](std::span<double> x) {
        numeric.submit_solve({x.data(), x.data(), 1});
        numeric.wait();
      });
  return facts;
}

namespace {

/// Waits for all submitted work and returns the factor. Throws UsageError if there is none.
NumericFactor& finished_factor(FactorData& data) {
  settle(data);
  expect_factor(data.state);
  return *data.state.numeric;
}

/// Does the same. Throws UsageError if L is not a triangle, because its blocks chose their pivots.
NumericFactor& finished_triangle(FactorData& data) {
  NumericFactor& factor = finished_factor(data);
  if (factor.context().signs.chosen.empty()) return factor;
  throw UsageError(
      "the factorization chose its pivots, so that L is not a triangle; solve the whole system, or "
      "give the signs of the pivots");
}

/// Layout of vectors of n entries each, with the distance between their first entries.
struct VectorLayout {
  Index n;
  Index count;
  Count ld;

  /// Throws UsageError if the vectors do not fit into an array of `entries` entries. `name` is the
  /// name of the array in the message.
  void expect_in(std::size_t entries, const char* name) const {
    if (ld < n) {
      throw UsageError("the vectors of " + std::string(name) + " have " + std::to_string(n) +
                       " entries, so their distance cannot be " + std::to_string(ld));
    }
    const Count needed = (Count{count} - 1) * ld + n;
    if (count >= 1 && static_cast<Count>(entries) >= needed) return;
    throw UsageError(std::to_string(count) + " vectors need at least " +
                     std::to_string(std::max<Count>(needed, n)) + " entries, but " + name +
                     " has " + std::to_string(entries));
  }
};

/// Permutes a vector: x[k] = b[old_of[k]], or x[old_of[k]] = b[k]. x may be b. `copy` is memory for
/// one vector.
void permute(System system, std::span<const Index> old_of, const double* b, double* x,
             std::vector<double>& copy) {
  copy.assign(b, b + old_of.size());
  for (std::size_t k = 0; k < old_of.size(); ++k) {
    if (system == System::p) {
      x[k] = copy[old_of[k]];
    } else {
      x[old_of[k]] = copy[k];
    }
  }
}

void permute_all(System system, std::span<const Index> old_of, const SolveVectors& vectors) {
  std::vector<double> copy;
  for (Index r = 0; r < vectors.count; ++r) {
    permute(system, old_of, vectors.b + r * vectors.ldb, vectors.x + r * vectors.ldx, copy);
  }
}

/// Returns the directions of the solve for one of the systems with L.
SolvePart part_of(System system) {
  if (system == System::a) return SolvePart::both;
  return system == System::l ? SolvePart::forward : SolvePart::backward;
}

/// Solves one of the systems with L for blocks of vectors. Each block has as many vectors as fit
/// into memory.
void solve_with_l(FactorData& data, System system, const SolveVectors& all) {
  NumericFactor& numeric = finished_factor(data);
  const SolvePart part = part_of(system);
  const Index columns = block_columns(data, all.count, {.part = part});
  const auto solve_block = [&](Index first, Index count) {
    numeric.submit_solve(
        {all.b + first * all.ldb, all.x + first * all.ldx, count, all.ldb, all.ldx}, part);
  };
  for_each_block(all.count, solve_block, columns);
  wait_for(data);
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

void Factor::solve_part(System system, std::span<const double> b, std::span<double> x, Index count,
                        Count ldb, Count ldx) {
  const Index n = data_->analysis->symbolic.n;
  const VectorLayout of_b{n, count, ldb == 0 ? n : ldb};
  const VectorLayout of_x{n, count, ldx == 0 ? n : ldx};
  of_b.expect_in(b.size(), "b");
  of_x.expect_in(x.size(), "x");
  if (b.data() == x.data() && of_b.ld != of_x.ld && count > 1) {
    throw UsageError("b and x are the same array, but the distances of their vectors differ: " +
                     std::to_string(of_b.ld) + " and " + std::to_string(of_x.ld) + " entries");
  }
  const SolveVectors vectors{b.data(), x.data(), count, of_b.ld, of_x.ld};
  if (system == System::p || system == System::pt) {
    finished_factor(*data_);
    return permute_all(system, permutation(), vectors);
  }
  if (system != System::a) finished_triangle(*data_);
  solve_with_l(*data_, system, vectors);
}

std::span<const Index> Factor::permutation() const {
  return data_->analysis->symbolic.permutation.old_of;
}

std::vector<double> Factor::diagonal() const {
  return diagonal_of(data_->analysis->symbolic, finished_triangle(*data_).values());
}

double Factor::growth() const {
  NumericFactor& numeric = finished_factor(*data_);
  const SymbolicFactor& symbolic = data_->analysis->symbolic;
  const std::vector<double> squares = row_squares({symbolic, sole_ownership(symbolic)}, numeric);
  return growth_of(*data_, squares);
}

Inertia Factor::inertia() const {
  finished_factor(*data_);
  return pivot_facts(*data_).inertia();
}

Inertia Factor::pivot_counts() const {
  NumericFactor& numeric = finished_factor(*data_);
  const SignCounts counts = count_signs(numeric.context().signs, data_->analysis->symbolic.n);
  return {counts.positive, counts.negative, counts.zero, Inertia::Status::uncertain};
}

std::vector<Index> Factor::replaced_pivots() const {
  finished_factor(*data_);
  return replaced_columns(*data_);
}

Index Factor::singular_column() const {
  if (finished_factor(*data_).context().signs.chosen.empty()) return -1;
  const std::vector<Index> null = null_columns(*data_);
  if (!null.empty()) return null.front();
  const std::vector<Index> replaced = replaced_columns(*data_);
  return replaced.empty() || !is_singular(*data_) ? -1 : replaced.front();
}

LowerFactor Factor::lower(ExplicitZeros zeros) const {
  NumericFactor& numeric = finished_triangle(*data_);
  return lower_factor(data_->analysis->symbolic, numeric.values(), numeric.context().signs, zeros);
}

Determinant Factor::determinant() const {
  NumericFactor& numeric = finished_factor(*data_);
  const SymbolicFactor& symbolic = data_->analysis->symbolic;
  return determinant_of(diagonal_of(symbolic, numeric.values()),
                        count_signs(numeric.context().signs, symbolic.n), numeric.scale());
}

double Factor::log_determinant() const { return determinant().log(); }

}  // namespace espalier
