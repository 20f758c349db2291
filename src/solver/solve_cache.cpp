// SPDX-License-Identifier: BSD-3-Clause
#include "solver/solve_cache.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "base/scalar.hpp"
#include "plan/memory.hpp"
#include "runtime/starpu/completion.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

SolveCache::SolveCache(FactorStorage& storage, SolveSetup& setup, TaskRunner& runner)
    : storage_(storage), setup_(setup), runner_(runner), reserved_columns_(usual.columns) {
  reserve_vectors(storage.context().workspace, reserved_columns_);
  usual_ = made(usual);
  if (!usual_->run) register_segments(*usual_);
  // Touches the memory, so that the first solve causes no page faults.
  const std::span<const DataView> segments = usual_->tasks.segments();
  constexpr Index segments_a_task = 50;
  parallel_ranges(static_cast<Index>(segments.size()), segments_a_task,
                  storage.starpu().cpu_workers(), [&](Index first, Index last) {
                    for (Index s = first; s < last; ++s) fill_zero(segments[s].as<double>());
                  });
}

std::unique_ptr<SolveCache::Entry> SolveCache::made(Key key) {
  const SolveInput input = setup_.input(key.columns, key.part);
  std::unique_ptr<Entry> entry(new Entry{key.part, {input, storage_.ready(), key.columns}});
  const bool is_run = storage_.submits_when_ready() && !setup_.runs_here(key.columns);
  if (is_run) entry->run.emplace(entry->tasks.list());
  return entry;
}

SolveCache::Entry& SolveCache::find(Index columns, SolvePart part) {
  const Key key{columns, part};
  if (Entry* const entry = known(key)) return *entry;
  make_space_for({columns, columns, part}, std::numeric_limits<Count>::max());
  reserved_columns_ = std::max(reserved_columns_, columns);
  reserve_vectors(storage_.context().workspace, reserved_columns_);
  return *others_.emplace_back(made(key));
}

SolveCache::Entry* SolveCache::known(Key key) {
  if (key == usual) return usual_.get();
  const auto entry = std::ranges::find(others_, key, [](const auto& e) { return key_of(*e); });
  if (entry == others_.end()) return nullptr;
  std::rotate(entry, entry + 1, others_.end());
  return others_.back().get();
}

SolveCache::Entry& SolveCache::find_beside_tasks(Index columns) {
  const Key key{columns, SolvePart::both};
  Entry* entry = known(key);
  if (entry == nullptr) {
    reserved_columns_ = std::max(reserved_columns_, columns);
    entry = others_.emplace_back(made(key)).get();
  }
  register_segments(*entry);
  return *entry;
}

std::vector<SolveCache::Key> SolveCache::used_by(const SolveBlocks& blocks) {
  std::vector<Key> keys{{blocks.columns, blocks.part},
                        {blocks.count % blocks.columns, blocks.part}};
  std::erase_if(keys, [](const Key& key) { return key == usual || key.columns == 0; });
  return keys;
}

Count SolveCache::workspace_bytes() const {
  Count rows = 0;
  for (const Workspace& workspace : storage_.context().workspace) {
    rows += std::ssize(workspace.row_map);
  }
  return scalar.bytes_of(rows);
}

Count SolveCache::entry_bytes(Index columns) const {
  const SolveTasks& tasks = usual_->tasks;
  return scalar.bytes_of(setup_.rows() * columns) + tasks.task_bytes() +
         (usual_->run ? usual_->run->bytes() : bytes_of_handles(std::ssize(tasks.segments())));
}

Count SolveCache::bytes_of(const Entry& entry) const {
  return entry_bytes(entry.tasks.columns()) + scalar.bytes_of(entry.vectors.size());
}

Count SolveCache::bytes(const SolveBlocks& blocks) const {
  Count bytes = (blocks.columns - 1) * workspace_bytes();
  for (const Key& key : used_by(blocks)) bytes += entry_bytes(key.columns);
  if (blocks.part != SolvePart::both) {
    bytes += storage_.structure().n * static_cast<Count>(sizeof(Index));
  }
  return bytes;
}

Count SolveCache::kept_bytes() const {
  Count bytes = (reserved_columns_ - 1) * workspace_bytes();
  for (const auto& entry : others_) bytes += bytes_of(*entry);
  return bytes;
}

Count SolveCache::make_space_for(const SolveBlocks& blocks, Count space) {
  const Count needed = bytes(blocks);
  const Count most = std::min(space, bytes({2 * most_columns - 1, most_columns, blocks.part}));
  const Count kept = needed + forget_others(used_by(blocks), most - needed);
  const Count unused = std::max(reserved_columns_ - blocks.columns, 0) * workspace_bytes();
  if (unused == 0 || kept + unused <= space) return kept + unused;
  runner_.wait_for_tasks();
  reserved_columns_ = blocks.columns;
  release_vectors(storage_.context().workspace, reserved_columns_);
  return kept;
}

Count SolveCache::forget_others(const std::vector<Key>& used, Count most) {
  const auto is_other = [&](const std::unique_ptr<Entry>& entry) {
    return std::ranges::find(used, key_of(*entry)) == used.end();
  };
  Count others = 0;
  for (const auto& entry : others_) {
    if (is_other(entry)) others += bytes_of(*entry);
  }
  while (others > 0 && others > most) {
    const auto oldest = std::ranges::find_if(others_, is_other);
    others -= bytes_of(**oldest);
    forget(std::move(*oldest));
    others_.erase(oldest);
    if (others == 0 || others <= most) return_freed_memory();
  }
  return others;
}

void SolveCache::forget(std::unique_ptr<Entry> entry) {
  runner_.wait_for_tasks();
  for (auto& [memory, device] : storage_.context().device_budget.on_device) {
    for (const starpu_data_handle_t segment : entry->segments.all()) device.forget(segment);
  }
}

void SolveCache::register_segments(Entry& entry) {
  if (setup_.runs_here(entry.tasks.columns()) || !entry.segments.all().empty()) return;
  storage_.ready_handle();
  entry.segments = Handles(entry.tasks.segments());
}

void SolveCache::pin_segments(Entry& entry) {
  const bool again = std::exchange(entry.has_run, true);
  if (!again || !entry.pinned.empty()) return;
  if (storage_.starpu().cuda_workers() == 0 || !setup_.uses_devices(entry.tasks.columns())) return;
  for (const std::span<double> memory : entry.tasks.memory()) {
    entry.pinned.emplace_back(std::vector{memory}).wait();
  }
}

void SolveCache::prepare(Entry& entry) {
  register_segments(entry);
  pin_segments(entry);
}

std::vector<starpu_data_handle_t> SolveCache::all_segments() const {
  const auto first = usual_->segments.all();
  std::vector<starpu_data_handle_t> all(first.begin(), first.end());
  for (const auto& entry : others_) all = together(all, entry->segments.all());
  return all;
}

std::vector<starpu_data_handle_t> SolveCache::handles_of(const Entry& entry) {
  auto all = together(entry.segments.all(), storage_.ready_handle());
  if (!setup_.uses_devices(entry.tasks.columns())) return all;
  return together(all, storage_.tile_handles());
}

}  // namespace espalier::internal
