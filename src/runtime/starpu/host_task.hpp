// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <functional>
#include <span>

#include "runtime/starpu/application_data.hpp"
#include "runtime/starpu/completion.hpp"

namespace espalier::internal {

/// A task that runs a function on a CPU worker, and accesses any data of an application.
struct HostTask {
  const char* name;  ///< name of the task in traces; must live as long as the task
  /// Gets the data in the order of the accesses. Data that are not vectors or matrices of doubles
  /// must not be used. The function must not throw.
  std::function<void(std::span<const ApplicationView> data)> work;
};

/// Submits the task with the highest priority. `completion`, which must outlive the task, counts
/// it. Throws RuntimeFailure if no worker can run it.
void submit(HostTask task, std::span<const starpu_data_descr> accesses, Completion& completion);

/// Submits tasks without work that StarPU runs after all earlier tasks on these data and before all
/// later ones, and between the earlier and the later tasks on `last`. The data keep their
/// places and their content. Null handles are skipped. `completion`, which must outlive the tasks,
/// counts them. Cost O(data).
void submit_fence(std::span<const starpu_data_handle_t> data, starpu_data_handle_t last,
                  Completion& completion);

}  // namespace espalier::internal
