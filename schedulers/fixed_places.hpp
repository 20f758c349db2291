// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/shape.hpp"
#include "schedulers/decide/fanout.hpp"
#include "schedulers/options.hpp"
#include "schedulers/traits.hpp"

namespace espalier::internal {

/// Returns what the policy `fanout` goes by.
DeviceThresholds device_thresholds(const PolicySettings& settings);

/// The side, host or devices, that a policy gives a task to whatever else is ready. Some have such
/// a rule: `fanout`, as long as devices have memory left, and `halo`.
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
