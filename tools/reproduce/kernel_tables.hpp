// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "launch/scratch_folder.hpp"

namespace espalier::internal {

/// Coarse tables of kernel times on this host and on a coprocessor. While this object exists, its
/// folder replaces the user's data folder, for this process and the processes that it starts.
class KernelTables {
 public:
  /// Measures in other processes, for about six seconds. No other thread may run, because the
  /// constructor changes the environment.
  KernelTables();

  /// Returns the reason why a table is missing, or an empty string.
  const std::string& failure() const { return failure_; }

 private:
  ScratchFolder folder_;
  std::string failure_;
};

}  // namespace espalier::internal
