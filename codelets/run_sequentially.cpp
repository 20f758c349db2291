// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "codelets/task_list.hpp"

namespace espalier::internal {

void run_sequentially(const TaskList& list, Worker& worker) {
  std::vector<MatrixView>& data = worker.workspace.data;
  for (const BoundTask& task : list.task) {
    data.clear();
    for (const Access& access : list.accesses(task)) {
      data.push_back(list.data[access.data].as<double>());
    }
    task.perform(data, worker);
  }
}

}  // namespace espalier::internal
