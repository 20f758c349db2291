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

/// Vectors that are divided among ranks like the columns of L. On the root they are whole, stored
/// by columns, in the numbering of A. Each rank has the rows of its local columns, in the local
/// numbering. A rank owns the rows of its domain. It also owns the rows of a shared panel if it
/// owns the diagonal tile of the panel.
class RankVectors {
 public:
  /// Both arguments must outlive the object. Collective.
  RankVectors(const Communicator& comm, const RankPart& part);

  /// Returns the number of entries in the local rows of `count` vectors.
  std::size_t entries(Index count) const {
    return static_cast<std::size_t>(part_.structure.n) * static_cast<std::size_t>(count);
  }
  /// Returns the local rows that this rank owns, ascending.
  std::span<const Index> kept() const { return kept_; }

  /// Returns this rank's rows of the root's vectors, and zero in rows that other ranks own.
  /// Collective.
  std::vector<double> scatter(std::span<const double> whole, Index count) const;
  /// Returns the whole vectors on the root, and nothing on other ranks. Collective.
  std::vector<double> gather(std::span<const double> local, Index count) const;
  /// Replaces shared rows by their sums over all ranks. Collective.
  void add_up_shared(std::span<double> local, Index count) const;
  /// Sets the rows that other ranks own to zero.
  void clear_rows_of_others(std::span<double> local, Index count) const;
  /// Replaces shared rows by those of the ranks that own them. Collective.
  void spread_shared(std::span<double> local, Index count) const;
  /// Replaces each value by its maximum over all ranks, or by NaN if one of them is NaN.
  /// Collective.
  void find_largest(std::span<double> values) const;

 private:
  template <class Move>
  void for_each_kept(Index rank, Index count, Move move) const;

  const Communicator& comm_;
  const RankPart& part_;
  std::vector<Index> kept_;
  /// Only on the root: per rank, the rows of A that it owns.
  std::vector<std::vector<Index>> rows_;
  Count whole_rows_ = 0;  ///< only on the root: number of rows of A
};

/// A divided among ranks, for products with vectors. A rank uses an entry if its column is in the
/// rank's domain, or in a shared panel whose diagonal tile the rank owns. It ignores its other
/// entries.
class RankMatrix {
 public:
  /// Number of vectors that are multiplied at once.
  static constexpr Index at_once = 4;

  /// All arguments must outlive the object. The values may change between calls.
  RankMatrix(const LocalStructure& structure, const PanelEntries& entries,
             const RankVectors& vectors, std::span<const double> values)
      : structure_(structure), entries_(entries), vectors_(vectors), values_(values) {}

  /// Returns the largest row sum of absolute values (infinity norm). Collective.
  double norm_inf() const;
  /// Computes r = b - A x in all local rows. b must be zero in rows that other ranks own. Shared
  /// rows of x become complete. Collective.
  void residual(std::span<const double> b, std::span<double> x, std::span<double> r,
                Index count) const;
  /// Returns the largest backward error of the vectors. Collective.
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

/// One rank's part of the linear system. Its vectors are in the local numbering. All functions are
/// collective.
class RankSystem final : public LinearSystem {
 public:
  /// All arguments must outlive the object.
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

/// Returns on all ranks the smallest column of the whole L that failed the pivot check, or -1.
/// `failed` is the local column that failed on this rank, or -1. Collective.
Index first_of_all(const Communicator& comm, const LocalStructure& structure, Index failed);

}  // namespace espalier::internal
