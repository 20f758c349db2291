// SPDX-License-Identifier: BSD-3-Clause
#include "solver/run_recorder.hpp"

namespace espalier::internal {

RunRecorder::RunRecorder(FactorStorage& storage) : storage_(storage) {
  if (storage.engine() != nullptr) return;
  time_division_.emplace(storage.plan().graph, storage.starpu().workers());
}

void RunRecorder::start_copies() {
  if (storage_.plan().offloads) copies_.start();
}

void RunRecorder::stop_copies() {
  if (storage_.plan().offloads) copies_.stop();
}

std::vector<CopyRun> RunRecorder::factor_copies() const {
  const double begin = storage_.context().clock.begin();
  std::vector<CopyRun> copies = copies_.copies();
  for (CopyRun& copy : copies) {
    copy.begin -= begin;
    copy.end -= begin;
  }
  return copies;
}

FactorHistory::Tally RunRecorder::tally(WorkerType type) const {
  return tally_of(storage_.context(), [&](Index worker) {
    return (storage_.plan().offloads ? storage_.starpu().type_of(worker) : WorkerType::cpu) == type;
  });
}

void RunRecorder::reset_tally() {
  for (Workspace& workspace : storage_.context().workspace) workspace.tally = {};
  storage_.starpu().take_device_traffic();
}

void RunRecorder::reset_solve_tally() {
  for (Workspace& workspace : storage_.context().workspace) {
    for (const TaskKind kind : {TaskKind::forward, TaskKind::backward}) {
      workspace.tally[static_cast<std::size_t>(kind)] = {};
    }
  }
}

void RunRecorder::add_solves_to(FactorHistory& history) const {
  history.solves = {solves_in(tally(WorkerType::cpu)), solves_in(tally(WorkerType::coprocessor)),
                    solves_in(tally(WorkerType::cuda))};
}

WorkerTime RunRecorder::worker_time(double seconds) {
  return time_division_->of(storage_.tasks().task, seconds);
}

void RunRecorder::add_run_to(FactorHistory& history, double seconds) {
  if (history.add_run(seconds)) {
    const std::span<const BoundTask> tasks = storage_.tasks().task;
    history.fastest = tally(WorkerType::cpu);
    history.fastest_coprocessor = tally(WorkerType::coprocessor);
    history.fastest_cuda = tally(WorkerType::cuda);
    history.fastest_queues = queues_of(tasks);
    history.fastest_queue_sizes = queue_sizes(tasks, storage_.context().clock.begin(), seconds);
    history.fastest_traffic = storage_.starpu().take_device_traffic();
    if (time_division_) history.fastest_time = worker_time(seconds);
  }
  note_peak(history.memory, "factor");
}

}  // namespace espalier::internal
