// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <memory>
#include <vector>

#include "base/task_kind.hpp"
#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

/// Returns the performance model of a task kind. It gives StarPU's policies the predictions in the
/// Shape of the task, for a core or for a device, so StarPU never needs to calibrate it. The object
/// lives until the program ends, because StarPU stores its own state of the model in the object and
/// protects this state by its own locks.
starpu_perfmodel* performance_model(TaskKind kind);

/// Costs of the kernels as history-based models of StarPU, for its tools (starpu_perfmodel_display)
/// and for programs that use them: espalier_potrf_<blas>, ..._trsm_..., ..._syrk_..., ..._gemm_....
/// Times are microseconds per call on a CPU core. The footprint is the size class: one byte per
/// dimension with its logarithm to base 2, the last dimension lowest. The object must outlive
/// StarPU, which keeps references to the models.
class StarpuHistories {
 public:
  StarpuHistories();
  ~StarpuHistories();
  StarpuHistories(const StarpuHistories&) = delete;
  StarpuHistories& operator=(const StarpuHistories&) = delete;

  /// Writes the models to StarPU's files. StarPU must run.
  void write(const CostFile& file);

 private:
  struct Model;
  std::vector<std::unique_ptr<Model>> model_;
};

}  // namespace espalier::internal
