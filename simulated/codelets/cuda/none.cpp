// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/functions.hpp"
#include "codelets/payload/message.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal::cuda {

namespace {

/// StarPU never calls this function. For an asynchronous task, it keeps a device of SimGrid busy
/// for the time that the model of the codelet predicts.
void takes_time(void* /*buffers*/[], void* /*argument*/) {}

}  // namespace

/// A simulation needs no CUDA.
bool is_built() { return true; }

Index devices() {
  const MachineFile::Devices* const there = simulated_devices();
  return there == nullptr ? 0 : there->count;
}

std::vector<DeviceIdentity> identities() {
  std::vector<DeviceIdentity> all(static_cast<std::size_t>(devices()));
  for (std::size_t device = 0; device < all.size(); ++device) {
    all[device] = {static_cast<unsigned>(device)};
  }
  return all;
}

void expect_usable(std::span<const unsigned> /*devices*/) {}

void with_device(unsigned /*device*/, const std::function<void()>& work) { work(); }

void expect_no_failure() {}

std::string last_failure() { return {}; }

Function function(TaskKind kind) {
  return AcceleratorMessages::include(kind) ? takes_time : nullptr;
}

DeviceContexts::DeviceContexts() = default;
DeviceContexts::~DeviceContexts() = default;

DeviceCopies::DeviceCopies(std::span<const std::byte> /*memory*/) {}
DeviceCopies::~DeviceCopies() = default;

}  // namespace espalier::internal::cuda
