// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/batch.hpp"

namespace espalier::internal {

namespace {

/// Returns the data of an access. Data without own memory are rows of one of the buffers.
MatrixView view_of_access(const TaskList& list, Count access, TaskData buffers) {
  MatrixView view = list.data[list.access[access].data].as<double>();
  const PlaceInPiece place = list.batches->place[access];
  if (place.buffer >= 0) view.data = buffers[place.buffer].data + place.row;
  return view;
}

}  // namespace

void TaskBatch::note_queue() const {
  for (const Index t : task) list->task[t].queued = queued;
}

void TaskBatch::perform(TaskData buffers, Worker& worker) const {
  note_queue();
  std::vector<MatrixView>& data = worker.workspace.data;
  for (const Index t : task) {
    const BoundTask& bound = list->task[t];
    data.clear();
    for (Count a = bound.access_begin; a < bound.access_end; ++a) {
      data.push_back(view_of_access(*list, a, buffers));
    }
    bound.perform(data, worker);
  }
}

}  // namespace espalier::internal
