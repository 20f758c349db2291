// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/policy_needs.hpp"
#include "espalier/options.hpp"
#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/offload.hpp"
#include "plan/offloading.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Minimum number of workers, or of ranks, for which tiles are considered.
inline constexpr Index tiles_from = 3;
/// Number of workers that deterministic plans and orderings assume, whatever the machine has.
inline constexpr Index deterministic_workers = 4;

/// Plan of a factorization of one structure by a number of workers: cut, tiles and tasks.
struct FactorPlan {
  TaskGraph graph;
  Granularity granularity = Granularity::panel;
  Index workers = 1;         ///< workers that the plan assumes
  bool direct = false;       ///< the problem is too small for StarPU: the calling thread runs it
  bool offloads = false;     ///< accelerators may run tasks
  bool has_signs = false;    ///< A = L J Lᵀ instead of A = L Lᵀ
  bool has_handles = false;  ///< StarPU knows the data of the tasks; see PolicyNeeds::handles
  /// Under the policy `halo`, every other task that accelerators can run goes to the first
  /// accelerator. Calibrations use this to measure tasks of all kinds on it.
  bool alternates = false;
  std::optional<OffloadPlan> offload{};  ///< updates that devices run, if the planner divides them
  double offload_seconds = 0;            ///< time to choose `offload`, without building the graph
  DeviceBytes device_bytes{};            ///< memory of devices; set only with `offload`
  std::shared_ptr<const DeviceTable> device_costs{};  ///< costs of devices in this plan
  double predicted_seconds = 0;
  bool is_for_host = false;  ///< uses the structure PlanRequest::in_host_panels
};

/// Returns the number of tasks that StarPU gets.
inline Index submitted_to_starpu(const FactorPlan& plan) {
  return plan.direct ? 0 : plan.graph.submitted();
}

/// Devices to which a policy may give any task.
struct AnyTaskDevices {
  Index processors;  ///< tasks that the devices run at a time; part of the plan's workers
  std::shared_ptr<const DeviceTable> costs;
  bool may_be_idle = false;  ///< the policy lets the plan decide whether devices get tasks
};

/// The devices of a process, and the tasks that its policy gives them. At most one of `division`
/// and `any_task` is set: the policy divides updates as planned, or it gives devices any task that
/// they are predicted to finish earlier. If neither is set, the plan knows nothing about the
/// division of tasks and counts each device as a CPU.
struct DeviceModel {
  bool present = false;  ///< devices are among the workers
  std::optional<OffloadOptions> division{};
  std::optional<AnyTaskDevices> any_task{};
};

/// Input of a plan.
struct PlanRequest {
  Index workers = 1;        ///< CPU workers plus processors of devices
  FactorOptions options{};  ///< empty fields get their defaults
  KernelCost cost{};        ///< kernel costs of the host
  PolicyNeeds needs{};
  DeviceModel devices{};
  /// The grids of workers of all ranks if all panels are shared and all policies ask for batches;
  /// see batch_tasks(). Otherwise empty. A single process has its grid in `needs`.
  std::vector<BlockGrid> owners{};
  /// The same L in panels chosen for the host alone, or null. The object must outlive the call.
  const SymbolicFactor* in_host_panels = nullptr;
  Index threads = 1;  ///< threads of the planner; the plan does not depend on them
};

/// Returns the plan of a factorization by one process, based on predicted times.
/// - The cut leaves no subtree whose share of a worker's work exceeds the options' limit.
/// - Granularity::automatic chooses the granularity with the shorter predicted makespan.
/// - Deterministic plans do not depend on the number of workers.
/// - Devices stay idle if the host alone, with its own panels, is predicted to finish no later or
///   only slightly later (TunedConstants::least_saved). With MDWIN and measured costs, the host
///   alone must finish no later. This rule applies only if MDWIN divides the updates by known
///   costs, or if the policy allows idle devices.
FactorPlan plan_factorization(const SymbolicFactor& symbolic, const PlanRequest& request);

/// Returns the plan of one of several ranks: the cut of its domain, tiles and tasks. All ranks have
/// the same granularity, whatever their numbers of workers: see options_for_ranks(). The needs of
/// the policy are ignored, except `owners`.
FactorPlan plan_factorization(const LocalStructure& structure, const PlanRequest& request);

/// Returns the options completed with the granularity and the rows of tiles, which must be equal on
/// all ranks. Choices of the user stay. `workers` is the number of workers of all ranks;
/// plan_factorization() and rank_tiles() assume one worker per rank.
FactorOptions options_for_ranks(const FactorOptions& options, Index ranks, Index workers);

/// Returns the limits on the tiles of shared panels, which are the same on all ranks.
TileLimits rank_tiles(const FactorOptions& options, Index ranks);

}  // namespace espalier::internal
