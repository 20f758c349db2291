// SPDX-License-Identifier: BSD-3-Clause
// Replaces all other sources of this folder in a build without CUDA.
#include "codelets/cuda/functions.hpp"

namespace espalier::internal::cuda {

bool is_built() { return false; }

Index devices() { return 0; }

std::vector<DeviceIdentity> identities() { return {}; }

void expect_usable(std::span<const unsigned> /*devices*/) {}

void with_device(unsigned /*device*/, const std::function<void()>& work) { work(); }

void expect_no_failure() {}

std::string last_failure() { return {}; }

Function function(TaskKind /*kind*/) { return nullptr; }

DeviceContexts::DeviceContexts() = default;
DeviceContexts::~DeviceContexts() = default;

DeviceCopies::DeviceCopies(std::span<const std::byte> /*memory*/) {}
DeviceCopies::~DeviceCopies() = default;

}  // namespace espalier::internal::cuda
