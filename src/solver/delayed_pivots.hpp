// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codelets/pivot_signs.hpp"
#include "solver/factor_data.hpp"
#include "solver/linear_system.hpp"

namespace espalier::internal {

/// Result of a factorization for a column without a pivot that is large enough.
enum class PivotFailure : std::uint8_t {
  none,
  weak,     ///< L has large entries below the diagonal block
  replaced  ///< the pivot was replaced, or the column was left out
};

/// A factor that can move columns and factorize again, in one process or on all ranks together. All
/// ranks must call all functions in the same order; the results are the same on all of them.
class RepeatableFactor {
 public:
  RepeatableFactor() = default;
  RepeatableFactor(const RepeatableFactor&) = delete;
  RepeatableFactor& operator=(const RepeatableFactor&) = delete;
  virtual ~RepeatableFactor() = default;

  /// Returns whether the factorizations choose their pivots.
  virtual bool chooses_pivots() const = 0;
  /// Finds the columns of L whose pivots are too small; see failed_pivots(). Returns the worst
  /// failure, or none if the last factorization did not succeed.
  virtual PivotFailure find_failed_columns() = 0;
  /// Returns probed_error() of the last factorization.
  virtual double probed_error() = 0;
  /// Plans for the analysis with the failed columns moved. Returns false, and keeps the plan, if
  /// there is no such analysis; see with_delays(). Throws MemoryError or std::bad_alloc. It then
  /// keeps the plan, unless memory is short although it was predicted to suffice.
  virtual bool move_failed_columns(Index levels) = 0;
  /// Returns whether there is memory for a factorization.
  virtual bool is_allocated() const = 0;
  /// Allocates the factor again for the present analysis, after move_failed_columns() has lost it.
  virtual void allocate_again() = 0;
  /// Factorizes the same values again. If `leaves_out` is true, blocks leave out columns instead of
  /// using small pivots; see BlockPivots::leaves_out. The factor is then useless if a pivot was
  /// replaced.
  virtual void factorize_again(bool leaves_out) = 0;
};

/// Repeats a successful factorization that chose its pivots, if it is not accurate enough: if some
/// pivots were replaced, or if some have large entries of L below their diagonal block, and the
/// backward error of a solution is above 1e-12. First moves the columns of these pivots to the end
/// of panels above theirs, whose blocks have more pivots to choose from, and plans again. A small
/// pivot would spoil all columns above it. Therefore repetitions leave such columns out, which then
/// move in turn, four times as far as those before, until the factorization is accurate. The new
/// order stays for later factorizations. If it needs more memory than there is, or many more
/// operations, columns stay. Returns whether it repeated the factorization, which may then have
/// failed. Waits for all tasks.
bool delay_pivots(RepeatableFactor& factor);
/// Does this for a factor of one process.
bool delay_pivots(FactorData& data);

/// Returns marks of the columns that another panel could give better pivots, in the order of
/// pivots: columns whose pivots were replaced or left out, except in the last block of a tree, and
/// weak columns. The factorization must have chosen its pivots.
std::vector<std::uint8_t> failed_pivots(const PivotSigns& signs);
/// Returns the worst failure of these columns.
PivotFailure worst_failure(const PivotSigns& signs);

/// Returns the analysis with these columns of L moved; see order_with_delays(). Returns null if
/// that moves none, or if L then needs more than a hundred million operations and more than eight
/// times those of `undelayed`, the analysis before any move. Both analyses may have only sizes.
std::shared_ptr<const AnalysisData> with_delays(const AnalysisData& analysis,
                                                const AnalysisData& undelayed,
                                                std::span<const std::uint8_t> failed, Index levels);

/// Returns the backward error of a solution with S A S, after one step of refinement. All rows of
/// this matrix have entries of about the same size, so that the error shows wrong entries in every
/// row. `scaled` is the system of S A S with this factor. b is random, because symmetric structures
/// can hide errors from a regular one; or it is this rank's rows of a random vector.
double probed_error(NumericFactor& numeric, LinearSystem& scaled, const RefinedVectors& vectors);

}  // namespace espalier::internal
