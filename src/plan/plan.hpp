// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "base/policy_needs.hpp"
#include "espalier/options.hpp"
#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/offload.hpp"
#include "plan/offloading.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Workers, or ranks, from which tiles are considered at all.
inline constexpr Index tiles_from = 3;
/// Whom a deterministic plan, and the ordering before it, is made for.
inline constexpr Index deterministic_workers = 4;

/// How one structure is factored by a number of workers: cut, tiles, tasks.
struct FactorPlan {
  TaskGraph graph;
  Granularity granularity = Granularity::panel;
  Index workers = 1;      ///< whom it is made for
  bool direct = false;    ///< too small for StarPU: run on the calling thread
  bool offloads = false;  ///< accelerators may run tasks
  /// Every other task that accelerators can run is for the first one under `halo`, whatever its
  /// kind: so calibrations measure all kinds.
  bool alternates = false;
  std::optional<OffloadPlan> offload{};  ///< what they run, where that is planned
  double offload_seconds = 0;            ///< what choosing it took, all but the graph that is used
  DeviceBytes device_bytes{};            ///< what devices hold; only with `offload`
  std::shared_ptr<const DeviceTable> device_costs{};  ///< the costs that it is planned by
  double predicted_seconds = 0;
  bool is_for_host = false;  ///< of the structure PlanRequest::in_host_panels
};

/// Devices to which a policy may give any task.
struct AnyTaskDevices {
  Index processors;  ///< who share the work, among the workers of a plan
  std::shared_ptr<const DeviceTable> costs;
  bool may_be_idle = false;  ///< the policy leaves it to the plan whether they have any task
};

/// The devices of a process, and which tasks its policy gives them. The policy does one of the two:
/// it divides updates as planned, or gives devices any task. Without either it gives devices
/// whatever is ready, and they count as a CPU each.
struct DeviceModel {
  bool present = false;  ///< devices are among the workers
  std::optional<OffloadOptions> division{};
  std::optional<AnyTaskDevices> any_task{};
};

/// What a plan is made for.
struct PlanRequest {
  Index workers = 1;        ///< CPU workers, and the processors of devices
  FactorOptions options{};  ///< those that are empty have their defaults
  KernelCost cost{};        ///< that of the host
  PolicyNeeds needs{};
  DeviceModel devices{};
  /// The same L in panels for the host alone; null: in no others. It outlives the call.
  const SymbolicFactor* in_host_panels = nullptr;
};

/// Returns the plan of a factorization by one process, by predicted times. The cut leaves no
/// subtree above the share that the options say of what each worker has to do, and `automatic`
/// chooses the granularity with the shorter predicted makespan. Deterministic plans do not depend
/// on the number of workers. If devices divide updates by MDWIN with known costs, or may be idle,
/// all tasks stay on the host if the host, with panels of its own, is predicted to be done no
/// later, or hardly later and the costs were not measured.
FactorPlan plan_factorization(const SymbolicFactor& symbolic, const PlanRequest& request);

/// Returns the same for one of several ranks: the cut of its domain, tiles and tasks. All ranks
/// have one granularity, whatever their workers: see options_for_ranks(). The needs of the policy
/// are left out.
FactorPlan plan_factorization(const LocalStructure& structure, const PlanRequest& request);

/// Returns the options with the granularity and the rows of tiles that all ranks must have in
/// common, for so many workers of all of them, if the user chose none. plan_factorization() and
/// rank_tiles() take one worker of each rank for what the options leave open.
FactorOptions options_for_ranks(const FactorOptions& options, Index ranks, Index workers);

/// Returns how all ranks tile shared panels.
TileLimits rank_tiles(const FactorOptions& options, Index ranks);

}  // namespace espalier::internal
