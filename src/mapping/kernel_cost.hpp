// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "base/cost_table.hpp"
#include "base/dense.hpp"
#include "base/task_kind.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// What an update finds of its target in the caches: all that the update before left there, where
/// one task makes both, or nothing.
enum class Target { again, anew };

/// Predicted seconds of the dense kernels on one CPU core: from what was measured on the machine
/// where there is such a table, else operations over a rate that grows with the smaller dimensions,
/// plus a fixed price a call and a price for each entry that is scattered. All dimensions are
/// counts of rows or columns.
struct KernelCost {
  double rate = 100e9;         ///< flop/s of large updates
  double half_width = 20;      ///< inner dimension at which an update reaches half of the rate
  double half_order = 80;      ///< order at which a POTRF or a TRSM reaches half of the rate
  double call = 0.1e-6;        ///< seconds for any kernel
  double scattered = 0.35e-9;  ///< seconds for an entry of an update, hot, added through index maps
  double copied = 0.4e-9;      ///< seconds for an entry initialised or read from memory
  double taken = 1e-9;         ///< seconds for an entry of A on its way to L
  double line = 8e-9;          ///< more seconds for one from another cache line than those before
  double task_overhead = 4e-6;  ///< seconds that StarPU takes for a task with its handles
  std::shared_ptr<const CostTable> measured;  ///< goes before all of these
  double column = 0;   ///< seconds for a column of L to take its entries of A; see cost_for()
  double entries = 0;  ///< of L

  double potrf(double order) const;
  /// Rows times the inverse of a triangle of the given order.
  double trsm(double rows, double order) const;
  /// The trapezoid of `rows` by `columns` (SYRK on top, GEMM below), subtracted through index maps.
  double update(double rows, double columns, double inner, Target target = Target::anew) const;
  /// A rectangle of `rows` by `columns` instead, subtracted in the same way.
  double product(double rows, double columns, double inner, Target target = Target::anew) const;
  /// The product of such a rectangle alone, into a dense target (HALO's 2 m n k / F(m, n, k));
  /// where that was not measured, what product() has beside scatter().
  double gemm(double rows, double columns, double inner) const;
  /// Subtracting a dense block through index maps from a target that is not in the caches (HALO's
  /// 3 b_x b_y / B(b_x, b_y), equation 6); where that was not measured, a product of inner
  /// dimension 1, of which all but nothing is the way to the target and back.
  double scatter(double rows, double columns) const;
  /// Initialising entries of L, some columns of them with their entries of A.
  double fill(double entries, double columns = 0) const;
  /// Reading so many entries that another rank or a device has summed up, and subtracting them from
  /// the target.
  double reduce(double entries) const;
  /// One of the two triangular solves with `entries` of L, in panels of so many rows together, and
  /// `columns` right-hand sides.
  double solve(double entries, double rows, double columns) const;

  /// A whole task whose kernels take so many seconds, by what tasks of such flops and such a rate
  /// were seen to take.
  double task(TaskKind kind, double kernels, double flops) const;
  /// What the kernels were measured with.
  SwitchPoints switch_points() const { return measured ? measured->switch_points : SwitchPoints{}; }
  /// What the runtime system adds to each task.
  double overhead() const { return measured ? measured->task : task_overhead; }
};

/// What one product of an update has, in rows and columns: the trapezoid of the rows that begin
/// with the columns, or a rectangle.
struct UpdateSize {
  double rows;
  double columns;
  double inner;
  bool trapezoid;

  double flops() const {
    return trapezoid ? flops::trapezoid(rows, columns, inner) : flops::gemm(rows, columns, inner);
  }
  double seconds(const KernelCost& cost, Target target = Target::anew) const {
    return trapezoid ? cost.update(rows, columns, inner, target)
                     : cost.product(rows, columns, inner, target);
  }
};

/// Returns the costs of kernels on a device by its table; those of the host where that has no
/// kernels.
KernelCost kernels_on(const DeviceTable& device, const KernelCost& host);

/// How many cache lines of A's values the columns of L come from, for each column: all windows of
/// so many neighbouring columns of L need each of theirs once. Counted where A's columns are, for a
/// sample of them: the entries of A in a column of L lie in its own column of A and in those of its
/// neighbours, which may be far. From 1/8 of the entries a column, where numberings agree, up to
/// all of them. `new_of`: the column of L of each column of A. Cost O(entries of the sample).
double lines_a_column(const PatternView& pattern, std::span<const Index> new_of);

/// Facts of a matrix and its order that costs depend on, whatever table they are from.
struct MatrixFacts {
  double entries = 0;           ///< of L
  double entries_a_column = 0;  ///< of A
  double lines_a_column = 0;    ///< see lines_a_column()
};

/// Returns the facts of a matrix in the given order, in which L has this number of entries. Cost as
/// for lines_a_column().
MatrixFacts facts_of(const PatternView& pattern, std::span<const Index> new_of, Count entries);

/// Returns the costs of factoring such a matrix, by a table or, if it is null, by rules of thumb.
KernelCost cost_for(const MatrixFacts& matrix, std::shared_ptr<const CostTable> measured);

}  // namespace espalier::internal
