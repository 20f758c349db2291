// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/messenger.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/dense.hpp"
#include "codelets/codelet.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// The time between two looks at what is under way while all workers compute. Timers are dear on
/// virtual machines: laplace3d:40 on two ranks took 0.163 s with looks every 0.1 ms, 0.123 s with 1
/// ms.
constexpr std::chrono::microseconds pause_between_looks{3000};

/// Whoever looks after messages holds it; it guards the list of those that live.
std::mutex looking;
std::vector<Messenger*> living;

/// What Linux takes in sched_setattr(2).
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// Lets this thread wake when it is meant to. Among threads that compute, one that wakes waits for
/// the end of their slice, 3 ms, unless it asks for a shorter one (from Linux 6.12 on; the earlier
/// ones let who slept go first). What a system does not know it refuses, and all is as before.
void wake_promptly() {
  constexpr std::uint64_t shortest_slice = 100000;  // ns
  prctl(PR_SET_TIMERSLACK, 1UL);
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  attributes.runtime = shortest_slice;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

MatrixView memory_of(starpu_data_handle_t data) {
  return view_of(starpu_data_get_interface_on_node(data, STARPU_MAIN_RAM));
}

Count bytes_of(const MatrixView& view) {
  return static_cast<Count>(view.rows) * view.columns * static_cast<Count>(sizeof(double));
}

/// To StarPU the place of data that come and go is in main memory all the time. Whoever calls this
/// has acquired them to write, so that nobody else uses them.
void set_memory(starpu_data_handle_t data, double* memory) {
  auto& place = *static_cast<starpu_matrix_interface*>(
      starpu_data_get_interface_on_node(data, STARPU_MAIN_RAM));
  place.ptr = place.dev_handle = reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace

Messenger::Messenger(MPI_Comm comm) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) {
    throw UsageError(
        "MPI was initialised without MPI_THREAD_MULTIPLE, which several ranks need; ask "
        "MPI_Init_thread for it, or use an MPI that has it");
  }
  MPI_Comm_dup(comm, &comm_);
  hook_ = starpu_idle_hook_register(look_from_worker, nullptr);
  {
    const std::lock_guard lock(looking);
    living.push_back(this);
  }
  watch_ = std::thread([this] { watch(); });
}

Messenger::~Messenger() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  watch_.join();
  if (hook_ >= 0) starpu_idle_hook_deregister(hook_);
  {
    const std::lock_guard lock(looking);
    std::erase(living, this);
  }
  MPI_Comm_free(&comm_);
}

void Messenger::submit(const Message& message, starpu_data_handle_t data, int priority,
                       const TransferOwner& owner) {
  switch (message.kind) {
    case Message::Kind::begin: return begin(data, message.room, owner);
    case Message::Kind::end: return end(data, owner);
    case Message::Kind::release: return release(data, owner);
    case Message::Kind::receive:
      return receive(data, message.rank, message.tag, owner, message.room);
    case Message::Kind::send: return send(data, message.rank, message.tag, priority, owner);
    case Message::Kind::discard: break;  // StarPU's own
  }
}

void Messenger::begin(starpu_data_handle_t data, Count room, const TransferOwner& owner) {
  start({this, Message::Kind::begin, data, owner, room});
}

void Messenger::end(starpu_data_handle_t data, const TransferOwner& owner) {
  start({this, Message::Kind::end, data, owner});
}

void Messenger::send(starpu_data_handle_t data, Index rank, Index tag, int priority,
                     const TransferOwner& owner) {
  start({this, Message::Kind::send, data, owner, 0, rank, tag, priority});
}

void Messenger::receive(starpu_data_handle_t data, Index rank, Index tag,
                        const TransferOwner& owner, Count room) {
  start({this, Message::Kind::receive, data, owner, room, rank, tag});
}

void Messenger::release(starpu_data_handle_t data, const TransferOwner& owner) {
  start({this, Message::Kind::release, data, owner});
}

void Messenger::start(PendingTransfer transfer) {
  auto owned = std::make_unique<PendingTransfer>(transfer);
  transfer.owner.completion.begin_one();
  if (transfer.queues()) {
    const std::lock_guard lock(mutex_);
    queue_of(transfer).push_back(owned.get());
  }
  const starpu_data_access_mode mode = transfer.sends() ? STARPU_R : STARPU_W;
  if (starpu_data_acquire_on_node_cb(transfer.data, STARPU_MAIN_RAM, mode, data_is_there,
                                     owned.get()) != 0) {
    if (transfer.queues()) {
      const std::lock_guard lock(mutex_);
      std::erase(queue_of(transfer), owned.get());
    }
    transfer.owner.completion.end_one();
    throw RuntimeFailure("StarPU does not give access to data that is to travel");
  }
  static_cast<void>(owned.release());  // close() deletes it
}

void Messenger::data_is_there(void* transfer) {
  auto* const there = static_cast<PendingTransfer*>(transfer);
  there->messenger->has_data(there);
}

void Messenger::has_data(PendingTransfer* transfer) {
  if (transfer->frees()) return free(transfer);
  const std::lock_guard lock(mutex_);
  transfer->is_there = true;
  if (!transfer->queues()) ready_.push_back(transfer);
  if (under_way_++ == 0) changed_.notify_one();
}

void Messenger::free(PendingTransfer* transfer) {
  const MatrixView view = memory_of(transfer->data);
  set_memory(transfer->data, nullptr);
  {
    const std::lock_guard lock(mutex_);
    transfer->owner.window->give_back(view.data, bytes_of(view));
  }
  close(transfer);
}

void Messenger::close(PendingTransfer* transfer) {
  Completion& completion = transfer->owner.completion;
  starpu_data_release_on_node(transfer->data, STARPU_MAIN_RAM);
  delete transfer;
  completion.end_one();
}

void Messenger::watch() {
  wake_promptly();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return under_way_ > 0 || stop_; });
    if (under_way_ == 0) return;
    lock.unlock();
    look_at_all();
    std::this_thread::sleep_for(pause_between_looks);
    lock.lock();
  }
}

unsigned Messenger::look_from_worker(void*) {
  look_at_all();
  return 1;
}

void Messenger::look_at_all() {
  const std::unique_lock lock(looking, std::try_to_lock);
  if (!lock) return;
  for (Messenger* const messenger : living) messenger->look();
}

void Messenger::look() {
  {
    const std::lock_guard lock(mutex_);
    if (under_way_ == 0) return;
    taken_.swap(ready_);
    admit_some(to_make_);
    admit_some(to_receive_);
  }
  std::stable_sort(
      taken_.begin(), taken_.end(),
      [](const PendingTransfer* a, const PendingTransfer* b) { return a->priority > b->priority; });
  for (PendingTransfer* const transfer : taken_) post(transfer);
  taken_.clear();
  finish_some();
}

void Messenger::admit_some(Queue& queue) {
  while (!queue.empty()) {
    PendingTransfer* const first = queue.front();
    if (!first->is_there) return;
    const Count bytes = bytes_of(memory_of(first->data));
    double* const memory = first->owner.window->take(first->sort(), bytes, first->room);
    if (memory == nullptr) return;
    set_memory(first->data, memory);
    taken_.push_back(first);
    queue.pop_front();
  }
}

void Messenger::post(PendingTransfer* transfer) {
  if (transfer->is_made()) {
    {
      const std::lock_guard lock(mutex_);
      --under_way_;
    }
    return close(transfer);
  }
  const MatrixView view = memory_of(transfer->data);
  MPI_Datatype columns = MPI_DATATYPE_NULL;
  MPI_Type_vector(view.columns, view.rows, static_cast<int>(view.ld), MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  MPI_Request request = MPI_REQUEST_NULL;
  if (transfer->sends()) {
    const int count = transfer->owner.failure.happened() ? 0 : 1;
    MPI_Isend(view.data, count, columns, transfer->rank, transfer->tag, comm_, &request);
  } else {
    MPI_Irecv(view.data, 1, columns, transfer->rank, transfer->tag, comm_, &request);
  }
  MPI_Type_free(&columns);
  request_.push_back(request);
  posted_.push_back(transfer);
}

void Messenger::finish_some() {
  if (request_.empty()) return;
  finished_.resize(request_.size());
  status_.resize(request_.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(request_.size()), request_.data(), &count, finished_.data(),
               status_.data());
  for (int i = 0; i < count; ++i) finish(std::exchange(posted_[finished_[i]], nullptr), status_[i]);
  if (count <= 0) return;
  std::erase(posted_, nullptr);
  std::erase(request_, MPI_REQUEST_NULL);
}

void Messenger::finish(PendingTransfer* transfer, MPI_Status& status) {
  const Count bytes = bytes_of(memory_of(transfer->data));
  {
    const std::lock_guard lock(mutex_);
    (transfer->sends() ? traffic_.messages_sent : traffic_.messages_received) += 1;
    (transfer->sends() ? traffic_.bytes_sent : traffic_.bytes_received) += bytes;
    --under_way_;
  }
  if (!transfer->sends()) {
    MPI_Count elements = 0;
    MPI_Get_elements_x(&status, MPI_DOUBLE, &elements);
    if (elements == 0) transfer->owner.failure.report_elsewhere();
  }
  close(transfer);
}

bool Messenger::makes_wait() const {
  const std::lock_guard lock(mutex_);
  return !to_make_.empty();
}

Index Messenger::least_of_all(Index value) const {
  Index least = value;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &least, 1, MPI_INT32_T, MPI_MIN, comm_, &request);
  std::chrono::microseconds pause{20};
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, pause_between_looks);
  }
  return least;
}

Traffic Messenger::traffic() const {
  const std::lock_guard lock(mutex_);
  return traffic_;
}

}  // namespace espalier::internal
