// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_grid.hpp"

namespace espalier {

/// What a device costs that takes updates from the host, and the way there, as seen by the host's
/// driver: messages, their answers and its pauses are in it.
struct DeviceTable {
  /// Seconds to a device's memory or back.
  struct Way {
    double latency = 0;  ///< for any copy
    double byte = 0;     ///< more for each byte

    double seconds(double bytes) const { return latency + byte * bytes; }
    bool sound() const { return latency >= 0 && byte >= 0; }
  };
  /// As in CostTable, on one worker of the device; without points where they were not measured:
  /// the device then counts as a core of the host.
  CostGrid syrk{{1, 1, 1}, {}};
  CostGrid gemm{{1, 1, 1}, {}};
  double task = 0;  ///< seconds of a device worker for a task beside its kernels
  Way to;
  Way back;
  bool overlaps = false;  ///< copies run beside kernels

  bool measured() const { return !gemm.seconds.empty(); }
  bool sound() const {
    return syrk.sound() && gemm.sound() && task >= 0 && to.sound() && back.sound();
  }
};

}  // namespace espalier
