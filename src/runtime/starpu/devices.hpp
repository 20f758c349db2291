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
/// what coprocessor_architecture() returns. Empty if there are no devices.
std::string architecture_of(const StarpuInstance& starpu);

/// Returns the devices of this instance, and which tasks its policy gives them: the division of
/// updates by the policy's options, with measured costs if there are any, or any task if the costs
/// of the devices were measured. Deterministic plans have neither, because a sum that is divided
/// between the host and devices has other bits. Under policies that give devices whatever is ready
/// fine tasks leave less to wait for (elasticity3d:40x40x40 with 16 cores and 2 simulated H100: 560
/// ms with tiles, 640 with panels; fanout 861 and 341, dmdas 425 and 256).
DeviceModel device_model(const StarpuInstance& starpu, bool deterministic);

/// Returns the seconds that a byte takes to the devices of this instance: as a calibration of such
/// devices measured it, else by what StarPU measured of its buses.
double seconds_a_byte_to_devices(const StarpuInstance& starpu);

/// Returns the seconds that these copies take one after the other, by what such devices cost.
double transfer_seconds(const StarpuInstance& starpu, const DeviceTraffic& traffic);

/// Notes on each message received whether a device is to be the first that reads it: where the
/// policy leaves no choice for the first task of the list that does, and takes such a block. Those
/// of other policies decide when the task is ready. The list has payloads. Cost O(tasks and their
/// accesses).
void expect_on_devices(const TaskList& list, const StarpuInstance& starpu,
                       std::span<Message> messages);

/// Throws UsageError where the same bits are asked for on every run, and there are devices that
/// round otherwise: CUDA devices, or coprocessors whose threads do tasks together.
void expect_same_rounding(const StarpuInstance& starpu, bool deterministic);

/// Throws UsageError where the policy is to go by what devices were measured to cost, and that was
/// not measured.
void expect_calibrated(const StarpuInstance& starpu);

/// Throws MemoryError or RuntimeFailure where a device could not do a task of the factor with this
/// budget, of those that were waited for last.
void expect_devices_did_well(DeviceBudget& budget);

/// Returns the defaults for processes with these costs under this policy. `has_cuda` says whether
/// the costs of devices are those of CUDA devices that the processes have.
Tuning default_tuning_by(const CostModel& costs, bool has_cuda, const PolicyTraits& policy);

}  // namespace espalier::internal
