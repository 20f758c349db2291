// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"

namespace espalier::internal {

/// Published rates of a device, for estimates of its kernels if nobody has measured them.
struct DeviceRates {
  double flops = 0;         ///< operations per second of large products (DGEMM)
  double half_order = 0;    ///< order of the square product that reaches half of `flops`
  double memory_bytes = 0;  ///< bandwidth of the device's memory, in bytes per second
};

/// Sets the kernels of a table to estimates. Let s(d, h) = d / (d + h), and let h be such that a
/// square product of order `half_order` reaches half of `flops`.
///
/// - GEMM of m rows, n columns and inner dimension k runs at `flops` s(m, h) s(n, h) s(k, h/4). It
///   is never faster than the memory reads and writes its target.
/// - SCATTER takes the time of three memory accesses per entry.
/// - TRSM of m rows and order n runs at `flops` s(m, h) s(n, 2 half_order).
/// - POTRF of order n runs at `flops` s(n, 9 half_order)², as cuSOLVER on an A100 roughly does.
void estimate_kernels(const DeviceRates& rates, DeviceTable& table);

}  // namespace espalier::internal
