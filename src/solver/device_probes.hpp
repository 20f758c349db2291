// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/device_table.hpp"
#include "runtime/starpu_instance.hpp"

namespace espalier {

struct DeviceBench;

/// Measures what the first device costs by tasks that write a made-up shadow there, under the
/// policy halo: the seconds that the device says its kernels took, and what the host sees on top.
class DeviceProbes {
 public:
  /// Takes so many samples for each size of each kernel. Allocates 64 MiB.
  DeviceProbes(const StarpuInstance& starpu, Index samples);
  ~DeviceProbes();
  DeviceProbes(const DeviceProbes&) = delete;
  DeviceProbes& operator=(const DeviceProbes&) = delete;

  DeviceTable measure() const;

 private:
  std::unique_ptr<DeviceBench> bench_;
  Index samples_;
};

}  // namespace espalier
