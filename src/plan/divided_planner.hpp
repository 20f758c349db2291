// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "plan/planner.hpp"

namespace espalier::internal {

/// Plans for policies that divide updates between the host and devices (src/mapping/offload.hpp).
class DividedPlanner final : public Planner {
 public:
  /// `division` must outlive the planner.
  DividedPlanner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
                 const OpenChoices& open, const OffloadOptions& division);

  Candidate improved(Candidate best) const override;
  std::optional<Candidate> host_alone(const Candidate& best) const override;

 private:
  std::optional<OffloadPlan> divided(const SubtreeCut& cut, const Tiling& tiling) const override;
  void join(TaskGraph& graph) const override;
  double makespan(const Candidate& made) const override;

  OffloadPlan divided(const SubtreeCut& cut, const Tiling& tiling, double load) const;
  /// Returns whether MDWIN divides the updates and the costs of the devices are known.
  bool is_by_costs() const;

  const OffloadOptions& division_;
  KernelCost on_device_;
};

}  // namespace espalier::internal
