// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "graph/device_bytes.hpp"
#include "graph/task_graph.hpp"
#include "mapping/offload.hpp"
#include "runtime/starpu_instance.hpp"

namespace espalier {

/// Of the devices of this instance, as calibrations name it: "coprocessor" or "cuda".
std::string architecture_of(const StarpuInstance& starpu);

/// How updates are divided between the CPUs and devices of this instance: by the options of the
/// policy `halo`, with what such devices were measured to cost. Nothing where
/// another policy runs, or without devices.
std::optional<OffloadOptions> offload_options(const StarpuInstance& starpu);

/// Seconds that a byte takes to the devices of this instance: as a calibration of such devices
/// measured it, else by what StarPU measured of its buses.
double seconds_a_byte_to_devices(const StarpuInstance& starpu);

/// Joins what devices update in tasks that take them less than what a task costs them, where the
/// options know what devices cost: `kernels` are theirs.
void join_small_updates(TaskGraph& graph, const OffloadOptions& options, const KernelCost& kernels);

/// What devices have at most at once; the policy `halo` sees to it where their memory is limited.
DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure,
                             const OffloadOptions& options);

/// Throws UsageError where the same bits are asked for on every run, and there are CUDA devices.
void expect_same_rounding(const StarpuInstance& starpu, bool deterministic);

/// Throws MemoryError or RuntimeFailure where a device could not do a task of those that were
/// waited for last.
void expect_devices_did_well();

}  // namespace espalier
