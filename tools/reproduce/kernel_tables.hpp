// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "launch/scratch_folder.hpp"

namespace espalier::internal {

/// Tables of what kernels take on this host and on a coprocessor, measured within seconds and
/// coarsely. As long as this lives they stand in the place of the user's folder of data, for this
/// process and for those that it starts.
class KernelTables {
 public:
  /// Measures in processes of their own, about six seconds. No other thread may run, since the
  /// environment is changed.
  KernelTables();

  /// Returns why a table is missing; empty where none is.
  const std::string& failure() const { return failure_; }

 private:
  ScratchFolder folder_;
  std::string failure_;
};

}  // namespace espalier::internal
