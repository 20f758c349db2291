// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "base/task_kind.hpp"
#include "perfmodels/cost_file.hpp"

namespace espalier {

/// The performance model of a task kind: StarPU's policies see the prediction that the task's Shape
/// carries, so they never run an uncalibrated model. The object lives as long as the program.
starpu_perfmodel* performance_model(TaskKind kind);

/// Writes the kernels' costs as StarPU's own history-based models, for its tools
/// (starpu_perfmodel_display) and for programs that use them: espalier_potrf_<blas>, ..._trsm_...,
/// ..._syrk_..., ..._gemm_..., on a CPU core, in microseconds a call. The footprint is the size
/// class: a byte for the logarithm to base 2 of each dimension, the last one lowest. StarPU runs;
/// once in a program.
void write_starpu_histories(const CostFile& file);

}  // namespace espalier
