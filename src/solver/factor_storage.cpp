// SPDX-License-Identifier: BSD-3-Clause
#include "solver/factor_storage.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "plan/memory.hpp"
#include "runtime/factor_memory.hpp"
#include "runtime/starpu/devices.hpp"
#include "runtime/starpu/submission.hpp"
#include "solver/policy_needs.hpp"

namespace espalier::internal {

FactorStorage::FactorStorage(const StarpuInstance& starpu, NumericPart given, FactorPlan plan,
                             bool deterministic, const KernelCost& cost,
                             const std::optional<RankExchange>& exchange)
    : starpu_(starpu),
      structure_(given.part.structure),
      engine_(exchange ? &exchange->engine : nullptr),
      series_(exchange ? exchange->series : 0),
      cost_(cost),
      plan_(std::move(plan)),
      values_(stored_entries(given.part, plan_.graph)) {
  if (exchange) pool_.emplace(exchange->pool, largest_groups(plan_.graph));
  context_.entries = std::move(given.entries);
  if (starpu_.cuda_workers() > 0 && plan_.offloads) pin_memory();
  context_.structure = &structure_;
  // Deterministic plans have the same bits with and without accelerators.
  context_.signs.in_tiles = plan_.has_signs && !plan_.direct && (plan_.offloads || deterministic);
  context_.workspace = workspaces(structure_, plan_.direct ? 1 : starpu_.workers());
  tasks_.emplace(structure_, plan_.graph, context_,
                 data_in_array(given.part, plan_.graph, values_.data()), deterministic,
                 starpu_.cpu_workers());
  tasks_->count_blocks_of_rank(given.part.ownership);
  if (plan_.offloads) offer_to_devices();
  context_.device_budget.beside_shadows = plan_.device_bytes.beside;
  if (!plan_.graph.batches.empty()) {
    tasks_->make_batches(strips_in_array(given.part, plan_.graph, values_.data()));
  }
  ready_.emplace(context_, data_for_starpu());
  if (plan_.direct) return;
  if (submits_when_ready()) {
    run_.emplace(tasks_->list());
  } else {
    handles();
  }
}

bool FactorStorage::submits_when_ready() const {
  return engine_ == nullptr && !needs_handles(starpu_);
}

void FactorStorage::pin_memory() {
  const Index threads = starpu_.cpu_workers();
  pinned_.emplace_back(outside_of_groups(structure_, plan_.graph, values_.span()), threads);
  if (!pool_) return;
  const std::span<double> memory = pool_->memory();
  pinned_.emplace_back(std::vector{memory.first(std::min(memory.size(), values_.span().size()))},
                       threads);
}

void FactorStorage::offer_to_devices() {
  if (plan_.alternates) tasks_->alternate_sides();
  device_seconds_.emplace(*starpu_.costs().devices.table, cost_, !plan_.has_signs);
  tasks_->make_payloads(*device_seconds_);
  copy_messages();
  if (engine_) expect_on_devices(tasks(), starpu_, plan_.graph.message);
}

void FactorStorage::copy_messages() {
  if (starpu_.cuda_workers() == 0) return;
  device_messages_.emplace(tasks().payloads->with_lists());
  context_.messages = device_messages_->memory();
  const bool is_copied = std::ranges::any_of(
      context_.messages.there, [](const std::byte* there) { return there != nullptr; });
  const Count bytes = is_copied ? std::ssize(context_.messages.here) : 0;
  plan_.device_bytes.most += bytes;
  plan_.device_bytes.beside = std::max(plan_.device_bytes.beside - bytes, Count{0});
}

Transfers FactorStorage::transfers() {
  return {plan_.graph.transfers(), engine_, pool_ ? &*pool_ : nullptr, &context_.failure, series_};
}

void FactorStorage::wait_for_pinned() {
  for (PinnedMemory& pinned : pinned_) pinned.wait();
}

std::span<const DataView> FactorStorage::data_for_starpu() const {
  const TaskList& list = tasks();
  return list.batches != nullptr ? list.batches->data : list.data;
}

std::span<const starpu_data_handle_t> FactorStorage::handles() {
  if (handles_.all().empty()) {
    const TaskGraph& graph = plan_.graph;
    const std::span<const DataView> data = data_for_starpu();
    if (!graph.batches.empty()) return (handles_ = Handles(data)).all();
    const auto shadows = static_cast<std::size_t>(graph.contribution_data(graph.first_shadow()));
    handles_ = Handles(data.first(shadows));
    handles_.append(data.subspan(shadows), MissingMemory::starpu);
  }
  return handles_.all();
}

std::span<const starpu_data_handle_t> FactorStorage::ready_handle() {
  if (ready_handle_.all().empty()) ready_handle_ = Handles(std::array{ready_->data()});
  return ready_handle_.all();
}

}  // namespace espalier::internal
