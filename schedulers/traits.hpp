// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "base/policy_needs.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

class PolicySettings;

/// The tasks that a policy gives to devices.
enum class DeviceUse : std::uint8_t {
  any_ready,   ///< any task that is ready when a worker of a device is idle
  ends_first,  ///< any task that a device is predicted to end before the CPUs
  threshold,   ///< any task with large operands, whatever else is ready
  planned,     ///< the updates that the plan gives to devices, and no other task
};

/// Properties of a policy that the planner and the runtime use. The defaults are those of an
/// unknown policy.
struct PolicyTraits {
  DeviceUse devices = DeviceUse::any_ready;
  /// Whether the plan may leave all tasks to the host if devices are predicted to save little.
  bool devices_may_be_idle = false;
  /// Whether the policy examines tasks that were submitted but are not ready. Then each task is
  /// submitted with its data, before the tasks that it waits for have ended.
  bool looks_ahead = true;
  /// Maximum of the default panel width with devices, in columns; 0: the width without devices.
  Index widest_panel = 1024;
  /// Returns the requirements of the policy on the task graph, by its settings; null: no
  /// requirements. Called while StarPU runs.
  PolicyNeeds (*needs)(const PolicySettings& settings) = nullptr;
};

/// Returns the traits of a policy. Espalier's policies declare them, and StarPU's policies are in a
/// table. Other policies have the defaults. A policy of a plugin declares DeviceUse::ends_first by
/// the words "(devices: ends first)" in its description.
PolicyTraits traits_of_policy(std::string_view name, std::string_view description = {});

/// Returns whether large tasks of any kind go to devices, instead of to any idle worker.
inline bool prefers_devices(const PolicyTraits& traits) {
  return traits.devices == DeviceUse::ends_first || traits.devices == DeviceUse::threshold;
}

/// Returns whether the policy runs only with devices.
inline bool needs_devices(const PolicyTraits& traits) {
  return traits.devices == DeviceUse::planned;
}

}  // namespace espalier::internal
