// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/submit.hpp"

#include <algorithm>
#include <cstdlib>

#include "codelets/codelet.hpp"
#include "codelets/message.hpp"
#include "codelets/result.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

starpu_data_access_mode mode_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::read: return STARPU_R;
    case AccessMode::write: return STARPU_W;
    case AccessMode::read_write: return STARPU_RW;
    case AccessMode::add: break;
  }
  return static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
}

template <class T>
T* allocate(std::size_t count) {
  return static_cast<T*>(std::malloc(count * sizeof(T)));
}

void set_accesses(starpu_task& task, std::span<const Access> accesses,
                  std::span<const starpu_data_handle_t> handles) {
  task.nbuffers = static_cast<int>(accesses.size());
  if (accesses.size() > STARPU_NMAXBUFS) {  // StarPU frees these with the task
    task.dyn_handles = allocate<starpu_data_handle_t>(accesses.size());
    task.dyn_modes = allocate<starpu_data_access_mode>(accesses.size());
  }
  auto* const handle = task.dyn_handles ? task.dyn_handles : task.handles;
  auto* const mode = task.dyn_modes ? task.dyn_modes : task.modes;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    handle[i] = handles[accesses[i].data];
    mode[i] = mode_of(accesses[i].mode);
  }
}

/// An accelerator has run the task, or a CPU, which returns nothing. Those that wait for the task
/// do so still.
void take_return(void* bound) {
  const starpu_task* const task = starpu_task_get_current();
  if (task->cl_ret == nullptr) return;
  take_result(*static_cast<const BoundTask*>(bound), starpu_worker_get_id_check(),
              {static_cast<const double*>(task->cl_ret), task->cl_ret_size / sizeof(double)});
}

/// What the task runs, and its argument.
void set_function(starpu_task& task, const TaskList& list, Index position) {
  const BoundTask& bound = list.task[position];
  task.cl = codelet(bound.shape.kind);
  task.cl_arg = const_cast<BoundTask*>(&bound);
  if (list.envelopes == nullptr) return;
  const auto envelope = list.envelopes->of(position);
  if (envelope.empty()) return;
  task.cl = accelerated_codelet(bound.shape.kind);
  task.cl_arg = envelope.data();
  task.cl_arg_size = envelope.size();
  task.cl_ret_free = 1;
  task.epilogue_callback_func = take_return;
  task.epilogue_callback_arg = const_cast<BoundTask*>(&bound);
}

/// Maps the priorities of a list, in seconds, to the integers that the policy allows.
class PriorityScale {
 public:
  explicit PriorityScale(const TaskList& list)
      : least_(std::max(starpu_sched_get_min_priority(), -most_levels)),
        most_(std::min(starpu_sched_get_max_priority(), most_levels)) {
    for (const BoundTask& task : list.task) longest_ = std::max(longest_, task.shape.path);
  }

  int operator()(float seconds) const {
    if (longest_ <= 0) return least_;
    return least_ + static_cast<int>(static_cast<float>(most_ - least_) * (seconds / longest_));
  }

 private:
  static constexpr int most_levels = 100000;
  int least_;
  int most_;
  float longest_ = 0;
};

/// Hands out the messages of a list as its tasks are submitted.
class Postman {
 public:
  Postman(const Mail* mail, std::span<const starpu_data_handle_t> handles,
          const PriorityScale& priority, Completion& completion)
      : mail_(mail), handles_(handles), priority_(priority), completion_(completion) {}

  /// All that comes before the task.
  void deliver_before(Index task) {
    if (!mail_) return;
    while (next_ < mail_->message.size() && mail_->message[next_].before <= task) {
      deliver(mail_->message[next_++]);
    }
  }

 private:
  void deliver(const Message& message) {
    const starpu_data_handle_t data = handles_[message.data];
    if (message.kind == Message::Kind::discard) return starpu_data_invalidate_submit(data);
    Messenger& messenger = *mail_->messenger;
    const Messenger::Party party{completion_, mail_->failure, mail_->window};
    switch (message.kind) {
      case Message::Kind::begin: return messenger.begin(data, message.room, party);
      case Message::Kind::end: return messenger.end(data, party);
      case Message::Kind::release: return messenger.release(data, party);
      case Message::Kind::receive:
        return messenger.receive(data, message.rank, message.tag, party, message.room);
      case Message::Kind::discard: break;
      case Message::Kind::send:
        return messenger.send(data, message.rank, message.tag, priority_(message.priority), party);
    }
  }

  const Mail* mail_;
  std::span<const starpu_data_handle_t> handles_;
  const PriorityScale& priority_;
  Completion& completion_;
  std::size_t next_ = 0;
};

void finished(void* completion) { static_cast<Completion*>(completion)->end_one(); }

void finished_among_messages(void* completion) {
  Messenger::look_at_all();
  finished(completion);
}

}  // namespace

void submit(const TaskList& list, std::span<const starpu_data_handle_t> handles,
            Completion& completion, const Mail* mail) {
  const PriorityScale priority(list);
  Postman postman(mail, handles, priority, completion);
  Index submitted = 0;
  for (const BoundTask& bound : list.task) {
    postman.deliver_before(submitted);
    const Index position = submitted;
    if (++submitted % submission_window == 0) {
      starpu_do_schedule();
      const bool stuck = mail && mail->messenger && mail->messenger->makes_wait();
      if (!stuck) completion.wait(submission_window * 3 / 4);
    }
    starpu_task* const task = starpu_task_create();
    set_function(*task, list, position);
    task->flops = bound.shape.flops;
    task->priority = priority(bound.shape.path);
    task->callback_func = mail && mail->messenger ? finished_among_messages : finished;
    task->callback_arg = &completion;
    set_accesses(*task, list.accesses(bound), handles);
    completion.begin_one();
    if (starpu_task_submit(task) != 0) {
      completion.end_one();
      task->destroy = 0;
      starpu_task_destroy(task);
      throw RuntimeFailure("no StarPU worker can run a task of Espalier; give it a CPU worker");
    }
  }
  postman.deliver_before(submitted);
  starpu_do_schedule();  // for policies that plan whole graphs; nothing to others
}

}  // namespace espalier
