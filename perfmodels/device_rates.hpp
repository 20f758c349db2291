// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"

namespace espalier::internal {

/// What a vendor publishes of a device, from which a table of its kernels can be estimated where
/// nobody has measured one.
struct DeviceRates {
  double flops = 0;         ///< operations a second of large products (DGEMM)
  double half_order = 0;    ///< order of the square product that reaches half of that
  double memory_bytes = 0;  ///< bytes a second of the device's memory
};

/// Enters kernels into a table. A product of m rows, n columns and inner dimension k runs at
/// `flops` times s(m, h) s(n, h) s(k, h/4), where s(d, h) = d / (d + h) and h is such that a square
/// one of order `half_order` reaches half of it, and no faster than the memory reads and writes its
/// target; scattering takes what three accesses to memory take for each entry. TRSM of order n
/// counts as such a product whose small dimension reaches half of the rate at twice `half_order`;
/// POTRF as n / (n + 9 half_order), squared, of the rate: so cuSOLVER's is known to take a tenth of
/// a millisecond for n = 128 and a millisecond for n = 1024 on an A100. All of these are estimates.
void estimate_kernels(const DeviceRates& rates, DeviceTable& table);

}  // namespace espalier::internal
