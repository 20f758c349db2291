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
  bool is_for_host = false;  ///< of the structure AnyTaskDevices::host
};

/// Devices to which a policy may give any task.
struct AnyTaskDevices {
  Index processors;  ///< who share the work, among the workers of a plan
  std::shared_ptr<const DeviceTable> costs;
  bool may_be_idle = false;  ///< the policy leaves it to the plan whether they have any task
  /// The same L in panels for the host alone; null: they are no others.
  const SymbolicFactor* host = nullptr;
};

/// Plans by predicted time: the cut leaves no subtree above the share that the options say, of what
/// each worker has to do; `automatic` chooses the granularity with the shorter predicted makespan.
/// Options that are left empty have their defaults. Deterministic plans do not depend on `workers`.
/// With `offloads` accelerators are among the workers, and count as a CPU each, or by the costs of
/// `devices` as what runs all but subtrees, where that is predicted to be sooner. Those that may be
/// idle are where the host, with panels of its own, is predicted to be done no later alone. `halo`
/// says how updates are divided, where that is planned. By MDWIN with costs of the devices they
/// stay on the host where it is predicted to be done sooner without devices, or hardly later and
/// the devices' kernels were not measured.
FactorPlan plan_factorization(const SymbolicFactor& symbolic, Index workers,
                              const FactorOptions& options, const KernelCost& cost,
                              const PolicyNeeds& needs = {}, bool offloads = false,
                              const std::optional<OffloadOptions>& halo = std::nullopt,
                              const std::optional<AnyTaskDevices>& devices = std::nullopt);

/// Plans how one of several ranks factors its part: the cut of its domain, tiles and tasks.
/// All ranks have one granularity, whatever their workers: see options_for_ranks(). With `offloads`
/// accelerators are among the workers; `halo` says how this rank's updates are divided, where that
/// is planned: as plan_factorization() does it, by what the rank's own tasks are predicted to take.
FactorPlan plan_rank(const LocalStructure& structure, Index workers, const FactorOptions& options,
                     const KernelCost& cost, bool offloads = false,
                     const std::optional<OffloadOptions>& halo = std::nullopt);

/// Returns the options with the granularity and the rows of tiles that all ranks have to have in
/// common, for so many workers of all of them, where the user chose none. plan_rank() and
/// rank_tiles() take one worker of each rank where the options leave it open.
FactorOptions options_for_ranks(const FactorOptions& options, Index ranks, Index workers);

/// Returns how all ranks tile shared panels.
TileLimits rank_tiles(const FactorOptions& options, Index ranks);

}  // namespace espalier::internal
