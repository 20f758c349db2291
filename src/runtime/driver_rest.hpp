// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier {

/// While it lives, StarPU's threads that drive coprocessors sleep a moment whenever they find
/// nothing to do. Left alone they ask their sockets without a pause, which costs a core: that of
/// a CPU worker, or the coprocessor's own where it is on this machine. StarPU runs before and
/// after.
class DriverRest {
 public:
  DriverRest();
  ~DriverRest();
  DriverRest(const DriverRest&) = delete;
  DriverRest& operator=(const DriverRest&) = delete;

 private:
  int hook_;
};

}  // namespace espalier
