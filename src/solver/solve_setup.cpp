// SPDX-License-Identifier: BSD-3-Clause
#include "solver/solve_setup.hpp"

#include <limits>
#include <numeric>

#include "base/scalar.hpp"
#include "plan/tuned.hpp"
#include "runtime/starpu/devices.hpp"
#include "symbolic/block_structure.hpp"

namespace espalier::internal {

namespace {

/// Returns whether solves may use devices at all. Coprocessors are as fast as CPUs but slower with
/// the small tasks of a solve, so solves do not use them. If the policy has thresholds, the
/// thresholds decide instead.
bool may_use_devices(const StarpuInstance& starpu) {
  return starpu.cuda_workers() > 0 || starpu.policy_traits().devices == DeviceUse::threshold;
}

}  // namespace

SolveSetup::SolveSetup(FactorStorage& storage, const PartView& part,
                       std::span<const Index> vector_row, bool deterministic)
    : storage_(storage), vector_row_(vector_row) {
  const StarpuInstance& starpu = storage.starpu();
  const PanelStructure& structure = storage.structure();
  const FactorPlan& plan = storage.plan();
  const bool is_alone = storage.engine() == nullptr;
  const std::vector<double> by_panel = solve_seconds(structure, storage.cost());
  const double seconds = std::accumulate(by_panel.begin(), by_panel.end(), 0.0);
  small_ = is_alone && (plan.direct || seconds < tuned_constants.direct_solve_below);
  // Sums that are divided between blocks have other bits, so deterministic solves use no devices.
  // Devices solve only with A = L Lᵀ.
  const bool uses_devices = plan.offloads && !deterministic && !plan.has_signs;
  entry_seconds_ = uses_devices && may_use_devices(starpu)
                       ? static_cast<double>(scalar.bytes) * seconds_a_byte_to_devices(starpu)
                       : std::numeric_limits<double>::infinity();
  const bool one_worker = is_alone && starpu.cpu_workers() == 1 && !plan.offloads;
  cut_ = small_ || (one_worker && !deterministic)
             ? whole_forest(structure)
             : cut_for_solve(part, storage.cost(), plan.workers);
  tree_ = build_solve_tree(part, cut_, solve_tile_entries);
  if (!is_alone) shared_ = build_shared_solve(part, plan.graph.tiling, solve_tile_entries);
  if (vector_row_.empty()) vector_row_ = order_of_l();
}

std::span<const Index> SolveSetup::order_of_l() {
  if (identity_.empty()) {
    identity_.resize(static_cast<std::size_t>(storage_.structure().n));
    std::iota(identity_.begin(), identity_.end(), 0);
  }
  return identity_;
}

SolveInput SolveSetup::input(Index columns, SolvePart part) {
  const std::span<const Index> rows = part == SolvePart::both ? vector_row_ : order_of_l();
  SolveInput input{storage_.structure(),     tree_,      storage_.cost(), storage_.context(),
                   storage_.values().data(), rows.data()};
  input.part = part;
  input.tiles = storage_.tiles();
  if (shared_) input.shared = &*shared_;
  if (uses_devices(columns)) {
    input.tiling = &storage_.plan().graph.tiling;
    input.device = storage_.device_seconds();
  }
  return input;
}

bool SolveSetup::uses_devices(Index columns) const {
  constexpr double sample = 1e6;  // entries
  const double seconds = storage_.cost().solve(sample, 0, columns);
  const double on_cpus = seconds / (sample * storage_.starpu().cpu_workers());
  return !small_ && entry_seconds_ < on_cpus;
}

bool SolveSetup::runs_here(Index columns) const {
  if (shared_) return false;
  return small_ || (storage_.starpu().cpu_workers() == 1 && !uses_devices(columns));
}

Count SolveSetup::rows() const {
  Count rows = shared_ ? shared_->total_rows : 0;
  for (const auto& node : tree_.node) rows += node.node_rows();
  return rows;
}

}  // namespace espalier::internal
