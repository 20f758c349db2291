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

/// Division of updates between host and devices under a policy with DeviceUse::planned.
struct PlannedDivision {
  HaloDivision rule{};
  Count device_bytes = std::numeric_limits<Count>::max();  ///< limit per device
};

/// Returns the division that the settings of a policy with DeviceUse::planned describe.
PlannedDivision planned_division(const PolicySettings& settings);

/// Rule of a policy that places each task on the host or on a device, whatever other tasks are
/// ready. Policies with thresholds and policies with a planned division have such a rule.
/// Thresholds apply only while devices have free memory.
class FixedPlaces {
 public:
  /// `settings` are the settings of the policy with these traits.
  FixedPlaces(const PolicyTraits& traits, const PolicySettings& settings);

  /// Returns whether the policy has such a rule.
  bool any() const { return use_ == DeviceUse::threshold || use_ == DeviceUse::planned; }
  /// Returns whether a task of this shape goes to a device, provided that there is a device with
  /// code for it. Returns false if the policy has no rule.
  bool on_device(const Shape& shape) const;
  /// Returns whether a block of this size from another rank is received on the device that reads it
  /// first, instead of on the host. The minimum size is the option `device_block` of `fanout`.
  /// These are the "GPU blocks" of symPACK (Bellavita et al., 2023, section 4.2), which are
  /// factored diagonal blocks there.
  bool arrives_on_device(Count bytes) const { return bytes >= least_block_; }

 private:
  DeviceUse use_;
  DeviceThresholds thresholds_;
  Count least_block_ = 0;
};

}  // namespace espalier::internal
