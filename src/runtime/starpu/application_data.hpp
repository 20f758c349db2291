// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "espalier/types.hpp"

namespace espalier::internal {

/// The data that a handle of an application must hold, in doubles.
struct HandleShape {
  const char* name;  ///< name of the handle in messages
  Count rows;
  Index columns;
};

/// Throws UsageError unless the handle is a StarPU vector of rows times columns doubles, or a
/// StarPU matrix of doubles with these rows (`nx`) and columns (`ny`). Also throws it if StarPU
/// cannot run tasks on the handle in the order of their submission: if the handle is null or
/// partitioned, or if its sequential consistency is off.
void expect_handle(starpu_data_handle_t data, const HandleShape& shape);

/// Data of a handle that expect_handle() has accepted, during a task on the data.
struct ApplicationView {
  double* data;
  Count distance;  ///< distance between the columns of a matrix; 0 for a vector

  /// Returns column j of vectors with n entries each.
  double* column(Index j, Index n) const { return data + j * (distance > 0 ? distance : n); }
};

/// Returns the data in the buffer that StarPU passes to the function of a task.
ApplicationView view_of_application(const void* buffer);

}  // namespace espalier::internal
