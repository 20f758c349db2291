// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "base/cost_table.hpp"
#include "base/dense.hpp"
#include "base/task_kind.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// State of the caches before an update. `again`: the previous update of the same task left the
/// target in them. `anew`: the target is not in them.
enum class Target { again, anew };

/// Predicted seconds of the dense kernels on one CPU core. If a table of measurements exists, the
/// prediction uses it. Otherwise it is a sum: the operations divided by a rate that grows with the
/// smaller dimensions, a fixed time per call, and a time per scattered entry. All dimensions are
/// numbers of rows or columns.
struct KernelCost {
  double rate = 100e9;     ///< flop/s of large updates
  double half_width = 20;  ///< inner dimension at which an update reaches half of the rate
  double half_order = 80;  ///< order at which a POTRF or a TRSM reaches half of the rate
  double call = 0.1e-6;    ///< seconds per call of any kernel
  /// Seconds to add one entry of an update through index maps, in the caches.
  double scattered = 0.35e-9;
  double copied = 0.4e-9;  ///< seconds per entry initialised or read from memory
  double taken = 1e-9;     ///< seconds to copy an entry of A to L
  /// Extra seconds for an entry of A in another cache line than the previous one.
  double line = 8e-9;
  double task_overhead = 4e-6;  ///< StarPU's overhead per task with its handles, in seconds
  /// Table of measurements, used instead of the constants above; may be null.
  std::shared_ptr<const CostTable> measured;
  double column = 0;   ///< seconds per column of L to read its entries of A; see cost_for()
  double entries = 0;  ///< number of entries of L

  double potrf(double order) const;
  /// Returns the seconds of a product of `rows` rows with the inverse of a triangle of order
  /// `order`.
  double trsm(double rows, double order) const;
  /// Returns the seconds to multiply a trapezoid of `rows` by `columns` (SYRK on top, GEMM below)
  /// and subtract it through index maps.
  double update(double rows, double columns, double inner, Target target = Target::anew) const;
  /// Returns the same seconds for a rectangle instead of a trapezoid.
  double product(double rows, double columns, double inner, Target target = Target::anew) const;
  /// Returns the seconds to multiply such a rectangle into a dense target (HALO's 2 m n k / F(m, n,
  /// k)). If that was not measured, this is product() minus scatter().
  double gemm(double rows, double columns, double inner) const;
  /// Returns the seconds to subtract a dense block through index maps from a target that is not in
  /// the caches (HALO's 3 b_x b_y / B(b_x, b_y), equation 6). If that was not measured, this is a
  /// product with inner dimension 1, whose time is almost entirely memory traffic to and from the
  /// target.
  double scatter(double rows, double columns) const;
  /// Returns the seconds to initialise `entries` entries of L, with the entries of A of `columns`
  /// columns.
  double fill(double entries, double columns = 0) const;
  /// Returns the seconds to read a sum of `entries` entries of another rank or a device and add it
  /// to the target.
  double reduce(double entries) const;
  /// Returns the seconds of one of the two triangular solves with `entries` entries of L, `rows`
  /// rows of panels in total, and `columns` right-hand sides.
  double solve(double entries, double rows, double columns) const;

  /// Returns the seconds of a whole task whose kernels take `kernels` seconds, corrected by the
  /// history of similar tasks (TaskHistory).
  double task(TaskKind kind, double kernels, double flops) const;
  /// Returns the switch points of the measured kernels.
  SwitchPoints switch_points() const { return measured ? measured->switch_points : SwitchPoints{}; }
  /// Returns the overhead of the runtime system per task.
  double overhead() const { return measured ? measured->task : task_overhead; }
};

/// Size of one product of an update, in rows and columns: a trapezoid, which has the diagonal in
/// its first rows, or a rectangle.
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

/// Returns the costs of kernels on a device from its table, or the costs of the host if the table
/// has no kernels.
KernelCost kernels_on(const DeviceTable& device, const KernelCost& host);

/// Returns the average number of cache lines with values of A that a column of L needs. A window of
/// neighbouring columns of L loads each line once. The entries of A for a column of L lie in its
/// own column of A and in columns of its neighbours, which may be far away. The result is between
/// 1/8 of the entries per column, if A and L have the same order, and the number of entries per
/// column. It is estimated from a sample of A's columns. `new_of`: the column of L for each column
/// of A. Cost O(entries of the sample).
double lines_a_column(const PatternView& pattern, std::span<const Index> new_of);

/// Properties of a matrix and its order that costs depend on, with or without a table of
/// measurements.
struct MatrixFacts {
  double entries = 0;           ///< entries of L
  double entries_a_column = 0;  ///< entries of A per column
  double lines_a_column = 0;    ///< see lines_a_column()
};

/// Returns the facts of a matrix in the given order, for which L has `entries` entries. Cost as
/// lines_a_column().
MatrixFacts facts_of(const PatternView& pattern, std::span<const Index> new_of, Count entries);

/// Returns the costs of factoring such a matrix, from a table or, if it is null, from built-in
/// estimates.
KernelCost cost_for(const MatrixFacts& matrix, std::shared_ptr<const CostTable> measured);

}  // namespace espalier::internal
