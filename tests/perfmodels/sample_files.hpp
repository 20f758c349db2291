// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal::support {

/// Returns the text after replacing the first occurrence of `part`, which must exist.
inline std::string replaced(std::string text, const std::string& part, const std::string& instead) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), instead);
}

/// Returns a shipped table that was measured on its processor.
inline const ShippedTable& measured_table() {
  return shipped_table("intel-xeon-family6-model167.json");
}

/// A small made-up table.
inline CostFile sample_costs() {
  CostFile file{"somewhere", "Some CPU, family 1 model 2", "AVX; SomeBLAS", "2026-01-31", 2, {}};
  file.table.potrf = {{2, 1, 1}, {1e-9, 5e-10}};
  file.table.trsm = {{2, 2, 1}, {1e-9, 5e-10, 4e-10, 2e-10}};
  file.table.syrk = {{2, 2, 1}, {1e-9, 6e-10, 4e-10, 3e-10}};
  file.table.gemm = {{2, 2, 2}, {8e-10, 7e-10, 6e-10, 5e-10, 4e-10, 3e-10, 2e-10, 1e-10}};
  file.table.syrk_again = {{2, 2, 1}, {9e-10, 5e-10, 3e-10, 2e-10}};
  file.table.gemm_again = {{2, 2, 2}, {7e-10, 6e-10, 5e-10, 4e-10, 3e-10, 2e-10, 1e-10, 9e-11}};
  file.table.fill = 4e-10;
  file.table.take = 2e-9;
  file.table.line = 6e-9;
  file.table.read = 5e-10;
  file.table.task = 3e-6;
  for (int i = 0; i < 20; ++i)
    file.table.history.add({TaskKind::subtree, 1 << 20, 8, 1 << 21}, 1.25);
  return file;
}

/// A small made-up table of devices.
inline DeviceFile sample_device() {
  DeviceFile file{"somewhere", "some CPU", "coprocessor", "2026-01-02", {}};
  file.table.syrk = {{2, 1, 1}, {3e-9, 2e-9}};
  file.table.gemm = {{1, 2, 1}, {4e-9, 1e-9}};
  file.table.task = 1e-4;
  file.table.to = {2e-5, 3e-10};
  file.table.back = {4e-5, 5e-10};
  file.table.overlaps = true;
  file.table.history.add({TaskKind::diagonal, 1e6, 1e-4, 1e6}, 1.25);
  return file;
}

}  // namespace espalier::internal::support
