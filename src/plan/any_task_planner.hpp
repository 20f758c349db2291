// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "plan/device_seconds.hpp"
#include "plan/makespan.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"

namespace espalier::internal {

/// Lets devices run any task but subtrees, by their costs.
class AnyTaskPlanner final : public Planner {
 public:
  /// `devices` outlives the planner.
  AnyTaskPlanner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
                 const OpenChoices& open, const AnyTaskDevices& devices);

  std::optional<Candidate> host_alone(const Candidate& best) const override;

 private:
  /// More subtrees leave less to the CPUs and shorter paths, and give devices more and smaller
  /// tasks.
  SubtreeCut first_cut() const override;
  /// Returns the makespan with devices that count as a CPU each, or by their costs if that is less.
  double makespan(const Candidate& made) const override;

  Index cpus() const;
  DeviceSide device_side() const;
  /// Returns the predicted makespan if the devices run all but subtrees.
  double beside_devices(const TaskGraph& graph) const;
  /// Returns whether a device does the product of a usual update much faster than a core.
  bool has_fast_devices() const;
  /// Returns the sum of what all workers and what the longest path take at least: with equal
  /// workers no list schedule takes more (Graham, "Bounds on multiprocessing timing anomalies",
  /// 1969). It tells cuts apart better than the list schedule of predicted_makespan(), whose
  /// devices do all that they can.
  double most_seconds(const TaskGraph& graph) const;
  TaskGraph panels_above(const SubtreeCut& cut) const;

  const AnyTaskDevices& devices_;
  DeviceSeconds seconds_;  ///< of these
};

}  // namespace espalier::internal
