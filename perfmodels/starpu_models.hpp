// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <memory>
#include <vector>

#include "base/task_kind.hpp"
#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

/// Returns the performance model of a task kind: StarPU's policies see the predictions that the
/// task's Shape carries, for a core and for a device, so they never run an uncalibrated model. The
/// object lives as long as the program: StarPU keeps its own state of the model in it, under its
/// own locks.
starpu_perfmodel* performance_model(TaskKind kind);

/// The kernels' costs as StarPU's own history-based models, for its tools
/// (starpu_perfmodel_display) and for programs that use them: espalier_potrf_<blas>, ..._trsm_...,
/// ..._syrk_..., ..._gemm_..., on a CPU core, in microseconds a call. The footprint is the size
/// class: a byte for the logarithm to base 2 of each dimension, the last one lowest. StarPU keeps
/// references to the models until it ends: the object outlives it.
class StarpuHistories {
 public:
  StarpuHistories();
  ~StarpuHistories();
  StarpuHistories(const StarpuHistories&) = delete;
  StarpuHistories& operator=(const StarpuHistories&) = delete;

  /// Writes the models to StarPU's files. StarPU runs.
  void write(const CostFile& file);

 private:
  struct Model;
  std::vector<std::unique_ptr<Model>> model_;
};

}  // namespace espalier::internal
