// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "distributed/partition.hpp"
#include "espalier/espalier.hpp"
#include "runtime/mpi/communicator.hpp"
#include "solver/linear_system.hpp"
#include "solver/numeric_factor.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

/// Vectors divided among ranks as the columns of L are: whole on the root, by columns, in the
/// numbering of A; on each rank those rows that are its local columns, in the local numbering, of
/// which it keeps its domain's and those of shared panels whose diagonal tile it owns.
class RankVectors {
 public:
  /// Collective. Both arguments outlive the object.
  RankVectors(const Communicator& comm, const RankPart& part);

  /// Returns how many entries the local rows of `count` vectors have.
  std::size_t entries(Index count) const {
    return static_cast<std::size_t>(part_.structure.n) * static_cast<std::size_t>(count);
  }
  /// Returns the local rows that this rank keeps, ascending.
  std::span<const Index> kept() const { return kept_; }

  /// Returns what each rank keeps of the root's vectors; zero in its other rows. Collective.
  std::vector<double> scatter(std::span<const double> whole, Index count) const;
  /// Takes vectors back to the root; returns nothing elsewhere. Collective.
  std::vector<double> gather(std::span<const double> local, Index count) const;
  /// Shared rows become the sums over all ranks. Collective.
  void add_up_shared(std::span<double> local, Index count) const;
  /// Shared rows become those of the ranks that keep them. Collective.
  void spread_shared(std::span<double> local, Index count) const;
  /// The values become the largest of all ranks, not a number where one is not. Collective.
  void find_largest(std::span<double> values) const;

 private:
  template <class Move>
  void for_each_kept(Index rank, Index count, Move move) const;

  const Communicator& comm_;
  const RankPart& part_;
  std::vector<Index> kept_;
  std::vector<std::vector<Index>> rows_;  ///< only on the root: the rows of A that each rank keeps
  Count whole_rows_ = 0;                  ///< only on the root: how many rows A has
};

/// A divided among ranks, to multiply with: every entry counts where it is in a column of a domain,
/// or of a shared panel whose diagonal tile the rank owns. The others it has it does not look at.
class RankMatrix {
 public:
  /// So many vectors are multiplied at once.
  static constexpr Index at_once = 4;

  /// All arguments outlive the object; values may change between calls.
  RankMatrix(const LocalStructure& structure, const PanelEntries& entries,
             const RankVectors& vectors, std::span<const double> values)
      : structure_(structure), entries_(entries), vectors_(vectors), values_(values) {}

  /// Returns the largest row sum of absolute values. Collective.
  double norm_inf() const;
  /// Computes r = b - A x in all local rows, for b that is zero in rows the rank does not keep; x
  /// becomes complete in shared rows. Collective.
  void residual(std::span<const double> b, std::span<double> x, std::span<double> r,
                Index count) const;
  /// Returns the worst backward error of the vectors. Collective.
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

/// The part of the linear system that a rank has: its vectors are in the local numbering. All
/// functions are collective.
class RankSystem final : public LinearSystem {
 public:
  /// All arguments outlive the object.
  RankSystem(const Communicator& comm, NumericFactor& factor, const RankMatrix& a,
             const RankVectors& vectors)
      : comm_(comm), factor_(factor), a_(a), vectors_(vectors) {}

  Index processes() const override { return comm_.size(); }
  Index least_of_all(Index own) const override { return comm_.least_of_all(own); }
  void agree(const std::function<void()>& check) const override {
    internal::agree(comm_, [&] { check(); });
  }
  double norm() const override { return a_.norm_inf(); }
  void solve(std::span<const double> b, std::span<double> x, Index columns) override;
  double residual(const RefinedVectors& vectors, double norm, Index columns) const override;
  double error(std::span<const double> b, std::span<double> x, double norm,
               Index columns) const override;

 private:
  const Communicator& comm_;
  NumericFactor& factor_;
  const RankMatrix& a_;
  const RankVectors& vectors_;
};

/// Returns the smallest column of the whole L whose pivot failed, or -1, on all ranks, from the
/// local column that each of them found, or -1. Collective.
Index first_of_all(const Communicator& comm, const LocalStructure& structure, Index failed);

}  // namespace espalier::internal
