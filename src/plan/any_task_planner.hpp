// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "plan/device_seconds.hpp"
#include "plan/makespan.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"

namespace espalier::internal {

/// Plans for policies that may give a device any task except subtrees, by the devices' measured
/// costs.
class AnyTaskPlanner final : public Planner {
 public:
  /// `devices` must outlive the planner.
  AnyTaskPlanner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
                 const OpenChoices& open, const AnyTaskDevices& devices);

  std::optional<Candidate> host_alone(const Candidate& best) const override;

 private:
  /// Returns the first cut. If devices are fast and the number of subtrees is open, doubles this
  /// number while most_seconds() falls by at least TunedConstants::saved_by_more. More subtrees
  /// leave less work to the CPUs and shorten paths, but devices then get more and smaller tasks.
  SubtreeCut first_cut() const override;
  /// Returns the shorter of two predicted makespans: with each device counted as a CPU, and with
  /// the measured costs of devices.
  double makespan(const Candidate& made) const override;

  /// A number of subtrees per worker, its cut, and most_seconds() of its graph.
  struct TriedCut {
    Index subtrees;
    SubtreeCut cut{};
    double seconds = 0;
  };
  void predict(TriedCut& tried) const;
  Index cpus() const;
  DeviceShare device_share() const;
  /// Returns the predicted makespan if the devices run all tasks except subtrees.
  double makespan_with_devices(const TaskGraph& graph) const;
  /// Returns whether a device computes the product of a typical update much faster than a core.
  bool has_fast_devices() const;
  /// Returns the minimum time of the work on all workers plus the time of the longest path. With
  /// equal workers, this is an upper bound for every list schedule (Graham, "Bounds on
  /// multiprocessing timing anomalies", 1969). This sum ranks cuts better than
  /// predicted_makespan(), which assumes that devices run every task that they can.
  double most_seconds(const TaskGraph& graph) const;
  TaskGraph panels_above(const SubtreeCut& cut) const;

  const AnyTaskDevices& devices_;
  DeviceSeconds seconds_;
};

}  // namespace espalier::internal
