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

/// Returns whether these thresholds ask for measured costs of the devices.
bool thresholds_need_costs(const PolicySettings& settings);

/// How a policy with DeviceUse::planned wants the updates to be divided.
struct PlannedDivision {
  HaloDivision rule{};
  Count device_bytes = std::numeric_limits<Count>::max();  ///< limit for each device
};

/// Returns the division by the settings of such a policy.
PlannedDivision planned_division(const PolicySettings& settings);

/// The side, host or devices, that a policy gives a task to whatever else is ready. Policies with
/// thresholds have such a rule, as long as devices have memory left, and those with a division.
class FixedPlaces {
 public:
  /// The settings are those of the policy with these traits.
  FixedPlaces(const PolicyTraits& traits, const PolicySettings& settings);

  /// Returns whether the policy has such a rule.
  bool any() const { return use_ == DeviceUse::threshold || use_ == DeviceUse::planned; }
  /// Returns whether a task of this shape goes to a device, where there is one and it has code for
  /// the task; always false where the policy has no rule.
  bool on_device(const Shape& shape) const;
  /// Returns whether a block of so many bytes that another rank sends goes straight to a device
  /// that is the first to read it, instead of to the host: under `fanout` one that is large enough
  /// to be a "GPU block" (Bellavita et al., symPACK, 2023, section 4.2, where only factored
  /// diagonal blocks are).
  bool arrives_on_device(Count bytes) const { return bytes >= least_block_; }

 private:
  DeviceUse use_;
  DeviceThresholds thresholds_;
  Count least_block_ = 0;
};

}  // namespace espalier::internal
