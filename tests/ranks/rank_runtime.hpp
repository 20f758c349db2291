// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

#include "runtime/mpi/starpu_mpi.hpp"
#include "runtime/mpi/starpu_mpi_engine.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal::support {

/// StarPU and StarPU-MPI on all ranks.
struct RankRuntime {
  explicit RankRuntime(const RuntimeOptions& options)
      : RankRuntime(options, std::make_unique<StarpuMpi>(MPI_COMM_WORLD)) {}
  RankRuntime(const RuntimeOptions& options, std::unique_ptr<StarpuMpi> launcher)
      : engine(launcher->comm(), launcher->rank()), starpu(options, {}, {}, std::move(launcher)) {}

  StarpuMpiEngine engine;
  StarpuInstance starpu;
};

}  // namespace espalier::internal::support
