// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/espalier.hpp"
#include "solver/rank_solver.hpp"
#include "solver/rank_vectors.hpp"

namespace espalier {

/// A divided among ranks, to multiply with: every entry counts where it is in a column of a domain,
/// or of a shared panel whose diagonal tile the rank owns. The others it has it does not look at.
class RankMatrix {
 public:
  /// All arguments outlive the object; values may change between calls.
  RankMatrix(const LocalStructure& structure, const PanelEntries& entries,
             const RankVectors& vectors, std::span<const double> values)
      : structure_(structure), entries_(entries), vectors_(vectors), values_(values) {}

  /// The largest row sum of absolute values. Collective.
  double norm_inf() const;
  /// r = b - A x in all local rows, for b that is zero in rows the rank does not keep; x becomes
  /// complete in shared rows. Collective.
  std::vector<double> residual(std::vector<double> b, std::span<double> x, Index count) const;
  /// The worst backward error of the vectors. Collective.
  double backward_error(double norm, std::span<const double> x, std::span<const double> b,
                        std::span<const double> r, Index count) const;

 private:
  template <class F>
  void for_each_entry(F f) const;

  const LocalStructure& structure_;
  const PanelEntries& entries_;
  const RankVectors& vectors_;
  std::span<const double> values_;
};

struct RankSolution {
  Solution solution;   ///< x on the root and nothing elsewhere, the rest on all ranks
  double seconds = 0;  ///< without the first residual, which tells only how good it is
};

/// A x = b for `count` right-hand sides, of which each rank gives what RankVectors::scatter() gave
/// it. `norm` is that of A. Collective.
RankSolution solve_on_ranks(RankSolver& solver, const RankMatrix& a, const RankVectors& vectors,
                            double norm, std::vector<double> b, Index count,
                            const SolveOptions& options);

}  // namespace espalier
