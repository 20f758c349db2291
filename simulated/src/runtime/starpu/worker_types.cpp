// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/starpu_instance.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// Returns the type of the simulated devices. StarPU simulates all of them as CUDA devices.
WorkerType type_of_devices() {
  const MachineFile::Devices* const devices = simulated_devices();
  const bool coprocessors = devices != nullptr && devices->architecture == "coprocessor";
  return coprocessors ? WorkerType::coprocessor : WorkerType::cuda;
}

Index devices_of(WorkerType type) {
  return type_of_devices() == type ? static_cast<Index>(starpu_cuda_worker_get_count()) : 0;
}

}  // namespace

Index StarpuInstance::coprocessor_workers() const { return devices_of(WorkerType::coprocessor); }

Index StarpuInstance::cuda_workers() const { return devices_of(WorkerType::cuda); }

WorkerType StarpuInstance::type_of(Index worker) const {
  return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER ? type_of_devices() : WorkerType::cpu;
}

}  // namespace espalier::internal
