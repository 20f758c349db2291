// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/device_budget.hpp"
#include "base/options.hpp"
#include "codelets/task_list.hpp"
#include "graph/task_graph.hpp"
#include "mapping/offload.hpp"
#include "plan/plan.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Returns the architecture of the devices of this instance, as calibrations name it: "cuda", or
/// the result of coprocessor_architecture(). Empty if there are no devices.
std::string architecture_of(const StarpuInstance& starpu);

/// Returns the devices of this instance, and which tasks its policy gives them. Some policies
/// divide the updates, by measured costs if there are any. Some give devices any task if the costs
/// of devices were measured. Deterministic plans have neither, because a sum that is divided
/// between host and devices has other bits.
DeviceModel device_model(const StarpuInstance& starpu, bool deterministic);

/// Returns the time per byte, in seconds, of a copy to the devices of this instance. The time comes
/// from a calibration of such devices, or else from StarPU's measurement of its buses.
double seconds_a_byte_to_devices(const StarpuInstance& starpu);

/// Returns the predicted time, in seconds, of these copies one after the other, by the costs of the
/// devices.
double transfer_seconds(const StarpuInstance& starpu, const DeviceTraffic& traffic);

/// Sets Message::for_device of each receive whose data are first used on a device. For this, the
/// policy must assign the first task that uses the data to a device before the task is ready, and
/// data of this size must be allowed to arrive on a device. Does nothing for policies that choose a
/// worker only when the task is ready. The list must have payloads. Cost O(tasks and their
/// accesses).
void expect_on_devices(const TaskList& list, const StarpuInstance& starpu,
                       std::span<Message> messages);

/// Throws UsageError if the run must be deterministic but has devices that round differently: CUDA
/// devices, or coprocessors whose threads run tasks together.
void expect_same_rounding(const StarpuInstance& starpu, bool deterministic);

/// Throws UsageError if the policy needs measured costs of devices and there are none. Throws
/// InputError if the file with these costs cannot be used.
void expect_calibrated(const StarpuInstance& starpu);

/// Throws MemoryError or RuntimeFailure if a device could not run a task of the factor with this
/// budget. Checks the tasks that the caller has waited for since the last call.
void expect_devices_did_well(DeviceBudget& budget);

/// Returns the default tuning for processes with these costs under this policy. `has_cuda` says
/// whether the device costs are those of CUDA devices of the processes.
Tuning default_tuning_by(const CostModel& costs, bool has_cuda, const PolicyTraits& policy);

}  // namespace espalier::internal
