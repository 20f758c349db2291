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
  /// Finds the columns of L whose pivots are too small. Returns whether there are any and the last
  /// factorization succeeded.
  virtual bool has_failed_columns() = 0;
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
  /// Factorizes the same values again.
  virtual void factorize_again() = 0;
};

/// Repeats a successful factorization that chose its pivots, if it is not accurate enough: if some
/// pivots were replaced or have large entries of L below their diagonal block, and the backward
/// error of a solution is above 1e-12. First moves the columns of these pivots to the end of panels
/// above theirs, whose blocks have more pivots to choose from, and analyzes and plans again. Each
/// repetition moves columns four times as far as the one before, as long as that reduces the error.
/// The new order stays for later factorizations. If it needs more memory than there is, or many
/// more operations, the factor stays as it is. Returns whether it repeated the factorization, which
/// may then have failed. Waits for all tasks.
bool delay_pivots(RepeatableFactor& factor);
/// Does this for a factor of one process.
bool delay_pivots(FactorData& data);

/// Returns marks of the columns whose pivots were replaced or that are weak, in the order of
/// pivots. The factorization must have chosen its pivots.
std::vector<std::uint8_t> failed_pivots(const PivotSigns& signs);

/// Returns the analysis with these columns of L moved; see order_with_delays(). Returns null if
/// that moves none, or if L then needs more than eight times the operations of `undelayed`, the
/// analysis before any move. Both analyses may have only sizes.
std::shared_ptr<const AnalysisData> with_delays(const AnalysisData& analysis,
                                                const AnalysisData& undelayed,
                                                std::span<const std::uint8_t> failed, Index levels);

/// Returns n entries of the right-hand side that probes a factorization.
std::vector<double> probe(Index n);
/// Returns the backward error of a solution with S A S, after refinement. All rows of this matrix
/// have entries of about the same size, so that the error shows wrong entries in every row.
/// `scaled` is the system of S A S with this factor. b is probe(), or this rank's rows of it.
double probed_error(NumericFactor& numeric, LinearSystem& scaled, const RefinedVectors& vectors);

}  // namespace espalier::internal
