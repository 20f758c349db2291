// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

Index StarpuInstance::coprocessor_workers() const {
  return starpu_worker_get_count_by_type(STARPU_TCPIP_MS_WORKER);
}

Index StarpuInstance::cuda_workers() const {
  return static_cast<Index>(starpu_cuda_worker_get_count());
}

WorkerType StarpuInstance::type_of(Index worker) const {
  switch (starpu_worker_get_type(worker)) {
    case STARPU_TCPIP_MS_WORKER: return WorkerType::coprocessor;
    case STARPU_CUDA_WORKER: return WorkerType::cuda;
    default: return WorkerType::cpu;
  }
}

}  // namespace espalier::internal
