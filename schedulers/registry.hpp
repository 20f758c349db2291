// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "schedulers/own_policies.hpp"

namespace espalier::internal {

struct SchedulerInfo {
  std::string name;
  std::string description;
};

/// Returns Espalier's policies, followed by the policies that StarPU can select by name.
std::vector<SchedulerInfo> known_schedulers();

/// Returns the names of known_schedulers() in one line, for messages.
std::string known_scheduler_names();

/// The policy if neither an option nor STARPU_SCHED names one.
inline constexpr const char* default_scheduler = "espalier";

/// The policy for the calibration of devices, because it runs each task at the planned place.
inline constexpr const char* calibrating_scheduler = "halo";

/// The policy of a process that serves only as a coprocessor and schedules no tasks.
inline constexpr const char* coprocessor_scheduler = "lws";

/// Returns the policy to use: the option if it is not empty, else STARPU_SCHED, else the default.
std::string resolve_scheduler(const std::string& option);

/// Throws UnknownScheduler, with the list of known policies, if StarPU would not find the policy
/// and would run another one after a warning. Also throws it if the policy needs devices and none
/// are expected. If STARPU_SCHED_LIB is set, all names pass; see verify_scheduler().
void expect_known_scheduler(const std::string& name, bool devices = devices_expected());

/// Throws UnknownScheduler if StarPU does not run the requested policy. Either StarPU does not know
/// the policy, or STARPU_SCHED names another one and takes precedence over the program's choice.
void verify_scheduler(const std::string& requested, const std::string& active);

}  // namespace espalier::internal
