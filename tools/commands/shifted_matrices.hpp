// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/solve_settings.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// The matrices that a run factors: A - sigma B for each sigma of --shift, or only A without this
/// option. They have the same pattern, so that one analysis serves all of them.
class ShiftedMatrices {
 public:
  /// Reads or generates A and B. Without --shift-matrix, B is the identity matrix. Throws
  /// InputError if a file is not a symmetric matrix, or if B has another size than A.
  explicit ShiftedMatrices(const SolveSettings& settings);

  /// Returns the number of matrices, at least 1.
  Index count() const;
  /// Returns the memory that the matrices take beside one that is factored, in bytes.
  Count bytes_beside() const;
  /// Returns matrix k. Throws InputError if an entry overflows.
  Matrix matrix(Index k) const;

 private:
  const SolveSettings& settings_;
  std::optional<Matrix> b_;
  Matrix a_;  ///< with all entries of B
};

/// Returns the name of matrix k in messages, such as "A.mtx - 2.5 B.mtx".
std::string name_of_matrix(const SolveSettings& settings, Index k);

/// Returns the report of shift k, given the report after its solve. The last `repeat`
/// factorizations have this shift.
ShiftReport shift_report(const SolveSettings& settings, Index k, const Report& report);

/// Throws InaccurateSolution, as expect_accurate() does, for the first shift whose backward error
/// is too large.
void expect_accurate_shifts(const SolveSettings& settings, const std::vector<ShiftReport>& shifts);

/// Throws UsageError if an option does not go with --shift, or needs it.
void expect_shiftable(const SolveSettings& settings);

}  // namespace espalier::internal
