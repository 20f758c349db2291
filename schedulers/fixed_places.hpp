// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "base/halo_division.hpp"
#include "base/shape.hpp"
#include "schedulers/decide/fanout.hpp"
#include "schedulers/options.hpp"
#include "schedulers/traits.hpp"

namespace espalier::internal {

/// Returns the thresholds of a policy with DeviceUse::threshold.
DeviceThresholds device_thresholds(const PolicySettings& settings);

/// Returns whether the thresholds require measured costs of the devices.
bool thresholds_need_costs(const PolicySettings& settings);

/// The division of updates that a policy with DeviceUse::planned asks for.
struct PlannedDivision {
  HaloDivision rule{};
  Count device_bytes = std::numeric_limits<Count>::max();  ///< limit per device
};

/// Returns the division that these settings of such a policy describe.
PlannedDivision planned_division(const PolicySettings& settings);

/// The fixed place, host or device, of each task under a policy, whatever other tasks are ready.
/// Policies with thresholds and policies with a planned division have such a rule. Thresholds apply
/// only while devices have free memory.
class FixedPlaces {
 public:
  /// `settings` are the settings of the policy with these traits.
  FixedPlaces(const PolicyTraits& traits, const PolicySettings& settings);

  /// Returns whether the policy has such a rule.
  bool any() const { return use_ == DeviceUse::threshold || use_ == DeviceUse::planned; }
  /// Returns whether a task of this shape goes to a device, provided that there is a device with
  /// code for it. Returns false if the policy has no rule.
  bool on_device(const Shape& shape) const;
  /// Returns whether a block of this size that another rank sends goes straight to the device that
  /// reads it first, instead of to the host. Under `fanout`, such a block must be large enough for
  /// a "GPU block" (Bellavita et al., symPACK, 2023, section 4.2; there, only factored diagonal
  /// blocks are GPU blocks).
  bool arrives_on_device(Count bytes) const { return bytes >= least_block_; }

 private:
  DeviceUse use_;
  DeviceThresholds thresholds_;
  Count least_block_ = 0;
};

}  // namespace espalier::internal
