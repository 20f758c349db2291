// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "solver/blocked_solve.hpp"
#include "solver/data.hpp"
#include "solver/factor_state.hpp"
#include "solver/outcome_log.hpp"
#include "solver/pivots.hpp"
#include "solver/scaled_matrix.hpp"

namespace espalier::internal {

/// Data of a Factor.
struct FactorData {
  std::shared_ptr<const AnalysisData> analysis;
  std::shared_ptr<const MatrixData> matrix;  ///< the factored matrix; tasks read its values
  /// Matrix with a copy of the values in the last handle, or null if there was none.
  std::shared_ptr<MatrixData> matrix_of_handles;
  /// Matrix of an earlier factorization that may be pending.
  std::shared_ptr<const MatrixData> earlier_matrix;
  ScaledMatrix scaled;  ///< the matrix of a factorization that chooses its pivots
  OutcomeLog log;
  /// Memory for the residual of one right-hand side, touched before the first solve.
  Buffer residual;
  double attempt_seconds = -1;  ///< as in the report
  Index delayed = 0;            ///< columns that delay_pivots() has moved
  /// The analysis before it moved columns.
  std::shared_ptr<const AnalysisData> undelayed;
  /// Time of the last factorization, in seconds, if factorize() ran it successfully; else 0.
  double seconds = 0;
  FactorState state;
};

/// Plans factorizations for an analysis, and allocates their memory. Replaces an earlier factor,
/// which must have no pending work. Throws MemoryError. It then keeps the earlier factor, unless
/// the memory is short although it was predicted to suffice.
void make_numeric(FactorData& data, const std::shared_ptr<const AnalysisData>& given);
/// Returns the values that the factorization of a matrix gets: those of A, or those of S A S if it
/// chooses its pivots. Sets the scale S of solves. Earlier tasks must have ended.
const double* scaled_if_needed(FactorData& data, const MatrixData& matrix);
/// Submits a factorization of data.matrix.
void start_factorization(FactorData& data);
/// Returns the marks of columns, which are in the order of pivots, in the order of L.
std::vector<std::uint8_t> in_order_of_l(const FactorData& data,
                                        std::span<const std::uint8_t> marks);

/// Records the result of the last factorization, unless it is recorded. All tasks must have ended.
void record_outcome(FactorData& data);
/// Waits for all submitted work, and records the result of the last factorization. Throws
/// MemoryError or RuntimeFailure if a device failed.
void settle(FactorData& data);
/// Waits for all submitted work, and returns the result of the last factorization. Throws
/// InputError if a value is not finite, and MemoryError or RuntimeFailure if a device failed.
FactorStatus wait_for(FactorData& data);

/// Returns facts about the pivots of the last factorization, which must have succeeded. Cost
/// O(entries of L), seven solves.
SignedPivotFacts pivot_facts(const FactorData& data);

/// Returns the additional memory, in bytes, for the vectors of a block of `columns` right-hand
/// sides. The prediction already includes the vectors of one right-hand side. Residuals of several
/// right-hand sides do not use the memory for the residual of a single one.
Count block_vector_bytes(const FactorData& data, Index columns, Index vectors);

/// Memory of a solve in addition to its tasks, to L, and to the memory for one right-hand side.
struct SolveMemory {
  Count held = 0;     ///< bytes for the whole solve
  Index vectors = 0;  ///< number of vectors per right-hand side of a block
  SolvePart part = SolvePart::both;
};

/// Returns the number of right-hand sides per block; see the general block_columns().
Index block_columns(FactorData& data, Index count, const SolveMemory& memory);

}  // namespace espalier::internal
