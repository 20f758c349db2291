// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <span>

#include "codelets/task_list.hpp"
#include "graph/task_graph.hpp"
#include "runtime/completion.hpp"
#include "runtime/messenger.hpp"

namespace espalier {

/// No more tasks than this are under way at once; the submitter then sleeps until a quarter is
/// done. But not while contributions wait for memory: what they wait for, the last task that writes
/// the first of them, may be one that is not submitted.
inline constexpr Count submission_window = 16384;

/// What travels between the tasks of a list, and by whom: null where all messages discard data.
struct Mail {
  std::span<const Message> message;
  Messenger* messenger;
  Failure& failure;                ///< of the tasks
  MemoryWindow* window = nullptr;  ///< of data without memory of their own
};

/// Hands the tasks to StarPU, which derives their order from the accesses to the handles (one for
/// each piece of data of the list). List and handles live until `completion` says that all tasks
/// are done. Throws RuntimeFailure when StarPU takes a task back because no worker can run it.
void submit(const TaskList& list, std::span<const starpu_data_handle_t> handles,
            Completion& completion, const Mail* mail = nullptr);

}  // namespace espalier
