// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/submission.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "codelets/batch.hpp"
#include "codelets/codelet.hpp"
#include "codelets/payload/returned.hpp"
#include "espalier/error.hpp"
#include "runtime/starpu/new_task.hpp"
#include "runtime/starpu/priority_scale.hpp"

namespace espalier::internal {

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

void set_accesses(starpu_task& task, std::span<const Access> accesses,
                  std::span<const starpu_data_handle_t> handles) {
  if (accesses.size() > most_data_of_task) {
    throw UsageError("a task would use " + std::to_string(accesses.size()) +
                     " pieces of data, more than the " + std::to_string(most_data_of_task) +
                     " of a codelet; choose a coarser granularity");
  }
  const AccessArrays arrays = access_arrays(task, accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    arrays.handle[i] = handles[accesses[i].data];
    arrays.mode[i] = mode_of(accesses[i].mode);
  }
}

/// Runs after the task has ended, before other tasks that depend on it. Takes the result that an
/// accelerator has returned; a CPU returns none.
void take_return(void* bound) noexcept {
  const auto& task = *static_cast<const BoundTask*>(bound);
  const AcceleratorResult result = returned_for(*starpu_task_get_current(), task);
  if (!result.empty()) take_result(task, starpu_worker_get_id_check(), result);
}

/// A task of StarPU: a task of the list, or a batch.
struct ShapeAndAccesses {
  const Shape& shape;
  std::span<const Access> accesses;
};

Index count_submitted(const TaskList& list) {
  return static_cast<Index>(list.batches ? list.batches->batch.size() : list.task.size());
}

ShapeAndAccesses submitted(const TaskList& list, Index position) {
  if (list.batches != nullptr) {
    const TaskBatch& batch = list.batches->batch[position];
    return {batch.shape, list.batches->accesses(batch)};
  }
  const BoundTask& bound = list.task[position];
  return {bound.shape, list.accesses(bound)};
}

void set_batch(starpu_task& task, const TaskBatch& batch) {
  task.cl = batch_codelet(batch.shape.kind);
  task.cl_arg = const_cast<TaskBatch*>(&batch);
}

/// Sets the function of the task and its argument.
void set_function(starpu_task& task, const TaskList& list, Index position) {
  if (list.batches != nullptr) return set_batch(task, list.batches->batch[position]);
  const BoundTask& bound = list.task[position];
  task.cl = codelet(bound.shape.kind);
  task.cl_arg = const_cast<BoundTask*>(&bound);
  if (list.payloads == nullptr) return;
  const auto payload = list.payloads->of(position);
  if (payload.empty()) return;
  task.cl = accelerated_codelet(bound.shape.kind);
  task.cl_arg = payload.data();
  task.cl_arg_size = payload.size();
  task.cl_ret_free = 1;
  task.epilogue_callback_func = take_return;
  task.epilogue_callback_arg = const_cast<BoundTask*>(&bound);
}

/// Submits the transfers of a list as its tasks are submitted.
class TransferSubmitter {
 public:
  TransferSubmitter(const Transfers* transfers, std::span<const starpu_data_handle_t> handles,
                    const PriorityScale& priority, Completion& completion)
      : transfers_(transfers), handles_(handles), priority_(priority), completion_(completion) {}

  /// Submits all transfers that come before the task.
  void submit_before(Index task) {
    if (!transfers_) return;
    while (next_ < transfers_->message.size() && transfers_->message[next_].before <= task) {
      submit(transfers_->message[next_++]);
    }
  }
  /// Returns whether tasks wait for memory. Tasks that are not submitted yet may free it.
  bool makes_wait() const { return has_engine() && transfers_->engine->makes_wait(); }

 private:
  bool has_engine() const { return transfers_ && transfers_->engine; }

  void submit(const Message& message) {
    const starpu_data_handle_t data = handles_[message.data];
    if (message.kind == Message::Kind::discard) return starpu_data_invalidate_submit(data);
    transfers_->engine->submit(
        message, data, priority_(message.priority),
        {completion_, transfers_->pool, transfers_->failure, transfers_->series});
  }

  const Transfers* transfers_;
  std::span<const starpu_data_handle_t> handles_;
  const PriorityScale& priority_;
  Completion& completion_;
  std::size_t next_ = 0;
};

void finished(void* completion) noexcept { static_cast<Completion*>(completion)->end_one(); }

}  // namespace

void submit(const TaskList& list, std::span<const starpu_data_handle_t> handles,
            Completion& completion, const Transfers* transfers, Throttle throttle) {
  const PriorityScale priority(list);
  TransferSubmitter submitter(transfers, handles, priority, completion);
  const Index count = count_submitted(list);
  for (Index position = 0; position < count; ++position) {
    submitter.submit_before(position);
    if ((position + 1) % submission_window == 0) {
      starpu_do_schedule();
      if (throttle == Throttle::on && !submitter.makes_wait())
        completion.wait(submission_window * 3 / 4);
    }
    const auto [shape, accesses] = submitted(list, position);
    NewTask task(starpu_task_create());
    set_function(*task, list, position);
    task->flops = shape.flops;
    task->priority = priority(shape.path);
    task->callback_func = finished;
    task->callback_arg = &completion;
    set_accesses(*task, accesses, handles);
    submit(std::move(task), completion);
  }
  submitter.submit_before(count);
  starpu_do_schedule();  // policies that plan whole graphs need this; other policies ignore it
}

namespace {

/// If a list has at most this number of tasks, all of them are submitted before the workers wake
/// up. Submitting them takes about a millisecond. Workers that search for their first task would
/// delay the submitting thread by some milliseconds.
constexpr Index submitted_asleep = 1000;
/// The same for messages. Submitting a message takes longer than submitting a task, and other ranks
/// wait for it. The experiment is `awake-ranks` in docs/experiments.md.
constexpr Count messages_asleep = 100;

bool is_submitted_asleep(const TaskList& list, const Transfers* transfers) {
  const bool exchanges = transfers != nullptr && transfers->engine != nullptr;
  const Count messages = exchanges ? std::ssize(transfers->message) : 0;
  return count_submitted(list) <= submitted_asleep && messages <= messages_asleep;
}

/// Wakes the workers, in its destructor at the latest.
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

/// Keeps awake workers from going to sleep while a thread submits tasks. Wakes sleeping workers in
/// wake_now(), or else in its destructor.
class Submitting {
 public:
  Submitting(const StarpuInstance& starpu, Completion& completion)
      : awakening_(starpu), hold_(completion) {
    if (hold_.from_idle()) awakening_.expect();
  }

  void wake_now() { awakening_.now(); }

 private:
  // Must outlive the hold. A worker may preempt the thread that wakes it for some milliseconds. If
  // that thread held the counter, all workers would stay awake meanwhile.
  Awakening awakening_;
  const Completion::Hold hold_;
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
    if (workspace.vectors.size() >= entries) continue;
    release(workspace.vectors);
    workspace.vectors.resize(entries);
  }
}

void release_vectors(std::vector<Workspace>& workspaces, Index columns) {
  for (Workspace& workspace : workspaces) {
    const std::size_t entries = workspace.row_map.size() * static_cast<std::size_t>(columns);
    if (workspace.vectors.size() > entries) release(workspace.vectors);
  }
  reserve_vectors(workspaces, columns);
}

TaskRunner::TaskRunner(const StarpuInstance& starpu)
    : starpu_(starpu), completion_([this] { starpu_.pause(); }) {}

void TaskRunner::start(const TaskList& list, std::span<const starpu_data_handle_t> handles,
                       const Transfers* transfers, Throttle throttle) {
  if (!blas_) blas_.emplace();
  Submitting submitting(starpu_, completion_);
  if (!is_submitted_asleep(list, transfers)) submitting.wake_now();
  submit(list, handles, completion_, transfers, throttle);
}

void TaskRunner::start(OrderedRun& run) {
  if (!blas_) blas_.emplace();
  Submitting submitting(starpu_, completion_);
  if (run.first_tasks() > submitted_asleep) submitting.wake_now();
  OrderedRun* const before = runs_.empty() ? nullptr : runs_.back();
  runs_.push_back(&run);
  run.start(completion_, before);
}

void TaskRunner::start(HostTask task, std::span<const starpu_data_descr> accesses) {
  if (!blas_) blas_.emplace();
  const Submitting submitting(starpu_, completion_);
  submit(std::move(task), accesses, completion_);
}

void TaskRunner::start(const Message& message, starpu_data_handle_t data,
                       const Transfers& transfers) {
  const Submitting submitting(starpu_, completion_);
  transfers.engine->submit(message, data, starpu_sched_get_max_priority(),
                           {completion_, transfers.pool, transfers.failure, transfers.series});
}

void TaskRunner::fence(std::span<const starpu_data_handle_t> data, starpu_data_handle_t last) {
  const Submitting submitting(starpu_, completion_);
  submit_fence(data, last, completion_);
}

namespace {

/// Data that are being copied to the host.
struct Homeward {
  Completion& completion;
  starpu_data_handle_t data;
};

void is_home(void* homeward) {
  const std::unique_ptr<Homeward> arrived(static_cast<Homeward*>(homeward));
  starpu_data_release_on_node(arrived->data, STARPU_MAIN_RAM);
  arrived->completion.end_one();
}

}  // namespace

void TaskRunner::copy_to_host(const TaskList& list, std::span<const starpu_data_handle_t> handles) {
  const Submitting submitting(starpu_, completion_);
  for (std::size_t i = 0; i < list.data.size(); ++i) {
    if (list.data[i].memory() == nullptr) continue;
    auto homeward = std::make_unique<Homeward>(Homeward{completion_, handles[i]});
    completion_.begin_one();
    if (starpu_data_acquire_on_node_cb(handles[i], STARPU_MAIN_RAM, STARPU_R, is_home,
                                       homeward.get()) != 0) {
      completion_.end_one();
      throw RuntimeFailure("StarPU does not give access to data that devices have computed");
    }
    std::ignore = homeward.release();
  }
}

void TaskRunner::run_here(const TaskList& list, const Kernels& kernels, Workspace& workspace) {
  if (!blas_) blas_.emplace();
  Worker worker{kernels, workspace};
  run_sequentially(list, worker);
}

void TaskRunner::wait() {
  wait_for_tasks();
  blas_.reset();
}

void TaskRunner::wait_for_tasks() {
  completion_.wait();
  for (const OrderedRun* const run : runs_) has_lost_a_run_ |= run->is_lost();
  runs_.clear();
}

void TaskRunner::expect_complete_runs() {
  if (std::exchange(has_lost_a_run_, false)) {
    throw RuntimeFailure("no StarPU worker can run a task of Espalier; give it a CPU worker");
  }
}

}  // namespace espalier::internal
