// SPDX-License-Identifier: BSD-3-Clause
#include "solver/task_runner.hpp"

#include <algorithm>

namespace espalier {

namespace {

/// Tasks that are all submitted before the workers wake, in about a millisecond: beside workers who
/// look for their first tasks, the thread that submits them waits for its turn, some milliseconds.
constexpr std::size_t submitted_asleep = 1000;

/// Wakes the workers, at the latest when it ends.
class Awakening {
 public:
  explicit Awakening(const StarpuInstance& starpu) : starpu_(starpu) {}
  ~Awakening() { now(); }
  Awakening(const Awakening&) = delete;
  Awakening& operator=(const Awakening&) = delete;

  void expect() { expected_ = true; }
  void now() {
    if (expected_) starpu_.resume();
    expected_ = false;
  }

 private:
  const StarpuInstance& starpu_;
  bool expected_ = false;
};

}  // namespace

std::vector<Workspace> workspaces(const PanelStructure& structure, Index workers) {
  Index tallest = 0;
  for (Index p = 0; p < structure.panels(); ++p) tallest = std::max(tallest, structure.height(p));
  std::vector<Workspace> made(std::max<Index>(workers, 1));
  for (Workspace& workspace : made) {
    workspace.worker = static_cast<Index>(&workspace - made.data());
    workspace.buffer = Buffer(update_buffer_entries);
    workspace.position.resize(structure.n);
    workspace.row_map.resize(tallest);
    workspace.column_map.resize(tallest);
  }
  return made;
}

void reserve_vectors(std::vector<Workspace>& workspaces, Index columns) {
  for (Workspace& workspace : workspaces) {
    const std::size_t entries = workspace.row_map.size() * static_cast<std::size_t>(columns);
    if (workspace.vectors.size() < entries) workspace.vectors.resize(entries);
  }
}

TaskRunner::TaskRunner(const StarpuInstance& starpu)
    : starpu_(starpu), completion_([this] { starpu_.pause(); }) {}

void TaskRunner::start(const TaskList& list, std::span<const starpu_data_handle_t> handles,
                       const Mail* mail) {
  if (!blas_) blas_.emplace();
  // It outlives the hold: a worker takes the place of the thread that wakes it, for milliseconds
  // perhaps, and all would stay awake as long as that thread holds them.
  Awakening awakening(starpu_);
  const Completion::Hold hold(completion_);
  if (hold.from_idle()) awakening.expect();
  if (list.task.size() > submitted_asleep) awakening.now();
  submit(list, handles, completion_, mail);
}

void TaskRunner::run_here(const TaskList& list, Workspace& workspace) {
  if (!blas_) blas_.emplace();
  Worker worker{cpu::kernels, workspace};
  run_sequentially(list, worker);
}

void TaskRunner::wait() {
  completion_.wait();
  blas_.reset();
}

}  // namespace espalier
