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

/// Lists Espalier's own policies, then those that StarPU itself can select by name.
std::vector<SchedulerInfo> known_schedulers();

/// Returns their names in one line, for messages.
std::string known_scheduler_names();

/// The policy where neither an option nor STARPU_SCHED names one.
inline constexpr const char* default_scheduler = "espalier";

/// The policy under which devices are calibrated: it runs each task where the plan says.
inline constexpr const char* calibrating_scheduler = "halo";

/// The policy of a process that only serves as a coprocessor, and schedules nothing.
inline constexpr const char* coprocessor_scheduler = "lws";

/// Returns the policy to use: the option where given, else STARPU_SCHED, else the default.
std::string resolve_scheduler(const std::string& option);

/// Throws UnknownScheduler with the list of known ones when StarPU would not find the policy (it
/// would go on with another one after a warning), or needs devices where none are expected. Names
/// from STARPU_SCHED_LIB pass; see verify_scheduler.
void expect_known_scheduler(const std::string& name, bool devices = devices_expected());

/// Throws UnknownScheduler when the policy that StarPU runs is not the one requested: it does not
/// know that one, or STARPU_SCHED, which StarPU prefers to what a program asks for, names another
/// one.
void verify_scheduler(const std::string& requested, const std::string& active);

}  // namespace espalier::internal
