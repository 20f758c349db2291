// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/starpu_mpi_engine.hpp"

#include <starpu_mpi.h>

#include "base/backoff.hpp"
#include "espalier/error.hpp"
#include "runtime/mpi/device_memory.hpp"
#include "runtime/starpu/memory.hpp"

namespace espalier::internal {

namespace {

/// First tag of the messages of a factor. Tags of applications, and tags that
/// starpu_mpi_tags_allocate() returns, are smaller.
constexpr starpu_mpi_tag_t first_tag = starpu_mpi_tag_t{1} << 62;

/// StarPU-MPI has a single table by rank and tag for two sorts of entries: sends that wait for a
/// receive, and announced messages that wait for a receive. So the two directions need different
/// tags.
starpu_mpi_tag_t tag_of(const Message& message, Index series, bool goes_to_higher_rank) {
  constexpr int bits_of_tag = 32;
  constexpr Index most_series = Index{1} << 28;
  const auto which = static_cast<starpu_mpi_tag_t>(series % most_series) << bits_of_tag;
  return first_tag + which + 2 * static_cast<starpu_mpi_tag_t>(message.tag) +
         (goes_to_higher_rank ? 1 : 0);
}

}  // namespace

void StarpuMpiEngine::submit(const Message& message, starpu_data_handle_t data, int priority,
                             const TransferOwner& owner) {
  switch (message.kind) {
    case Message::Kind::begin: return take_memory(message, data, owner);
    case Message::Kind::end:
    case Message::Kind::release: return give_memory_back(message, data, owner);
    case Message::Kind::receive:
      if (owner.pool) take_memory(message, data, owner);
      return travel(message, data, priority, owner);
    case Message::Kind::send: return travel(message, data, priority, owner);
    case Message::Kind::discard: break;  // the caller handles it
  }
}

void StarpuMpiEngine::take_memory(const Message& message, starpu_data_handle_t data,
                                  const TransferOwner& owner) {
  auto* const transfer = new PendingTransfer{this, message.kind, data, owner, message.group_bytes};
  {
    const std::lock_guard lock(mutex_);
    (message.kind == Message::Kind::begin ? to_make_ : to_receive_).push_back(transfer);
  }
  acquire(transfer, STARPU_MAIN_RAM, STARPU_W, has_data);
}

void StarpuMpiEngine::give_memory_back(const Message& message, starpu_data_handle_t data,
                                       const TransferOwner& owner) {
  acquire(new PendingTransfer{this, message.kind, data, owner}, STARPU_MAIN_RAM, STARPU_W,
          has_data);
}

void StarpuMpiEngine::acquire(PendingTransfer* transfer, int node, starpu_data_access_mode mode,
                              void (*acquired)(void*)) {
  transfer->node = node;
  transfer->owner.completion.begin_one();
  if (starpu_data_acquire_on_node_cb(transfer->data, node, mode, acquired, transfer) == 0) return;
  transfer->owner.completion.end_one();
  throw RuntimeFailure("StarPU does not give access to data of a message");
}

void StarpuMpiEngine::has_data(void* data) {
  auto* const transfer = static_cast<PendingTransfer*>(data);
  StarpuMpiEngine& engine = *transfer->engine;
  if (transfer->kind == Message::Kind::end || transfer->kind == Message::Kind::release) {
    auto* const memory = static_cast<double*>(memory_of(transfer->data));
    set_memory(transfer->data, nullptr);
    {
      const std::lock_guard lock(engine.mutex_);
      transfer->owner.pool->give_back(memory, bytes_of(transfer->data));
    }
    engine.admit_some();
    return close(transfer);
  }
  {
    const std::lock_guard lock(engine.mutex_);
    transfer->is_there = true;
  }
  engine.admit_some();
}

void StarpuMpiEngine::admit_some() {
  Queue admitted;
  {
    const std::lock_guard lock(mutex_);
    admit_some(to_make_, admitted);
    admit_some(to_receive_, admitted);
  }
  for (PendingTransfer* const transfer : admitted) close(transfer);
}

void StarpuMpiEngine::admit_some(Queue& queue, Queue& admitted) {
  while (!queue.empty() && queue.front()->is_there) {
    PendingTransfer* const first = queue.front();
    const Count bytes = bytes_of(first->data);
    double* const memory = first->owner.pool->take(first->sort(), bytes, first->group_bytes);
    if (memory == nullptr) return;
    set_memory(first->data, memory);
    admitted.push_back(first);
    queue.pop_front();
  }
}

void StarpuMpiEngine::close(PendingTransfer* transfer) {
  Completion& completion = transfer->owner.completion;
  starpu_data_release_on_node(transfer->data, transfer->node);
  delete transfer;
  completion.end_one();
}

void StarpuMpiEngine::travel(const Message& message, starpu_data_handle_t data, int priority,
                             const TransferOwner& owner) {
  const bool watches = accelerators_take_part();
  auto* const transfer = new PendingTransfer{this, message.kind, data, owner};
  owner.completion.begin_one();
  if (message.kind == Message::Kind::send) {
    if (watches) inspect(message, data, owner);
    starpu_mpi_issend_detached_prio(data, message.rank,
                                    tag_of(message, owner.series, rank_ < message.rank), priority,
                                    comm_, has_travelled, transfer);
  } else {
    if (message.for_device && messages_reach_devices()) prepare_device(message, data, owner);
    starpu_mpi_irecv_detached(data, message.rank,
                              tag_of(message, owner.series, message.rank < rank_), comm_,
                              has_travelled, transfer);
    if (watches) inspect(message, data, owner);
  }
}

void StarpuMpiEngine::inspect(const Message& message, starpu_data_handle_t data,
                              const TransferOwner& owner) {
  acquire(new PendingTransfer{this, message.kind, data, owner}, STARPU_ACQUIRE_NO_NODE, STARPU_R,
          is_seen);
}

void StarpuMpiEngine::is_seen(void* data) {
  auto* const transfer = static_cast<PendingTransfer*>(data);
  StarpuMpiEngine& engine = *transfer->engine;
  const bool sends = transfer->kind == Message::Kind::send;
  if (messages_reach_devices() && device_alone_with(transfer->data)) {
    const Count bytes = bytes_of(transfer->data);
    const std::lock_guard lock(engine.mutex_);
    (sends ? engine.direct_.messages_sent : engine.direct_.messages_received) += 1;
    (sends ? engine.direct_.bytes_sent : engine.direct_.bytes_received) += bytes;
  }
  Failure* const failure = transfer->owner.failure;
  if (!sends && failure != nullptr && tells_of_failure(transfer->data)) {
    failure->report_elsewhere();
  }
  close(transfer);
}

/// Tasks on the device wait for the message, and the message waits for the memory.
void StarpuMpiEngine::prepare_device(const Message& message, starpu_data_handle_t data,
                                     const TransferOwner& owner) {
  auto* const transfer = new PendingTransfer{this, message.kind, data, owner};
  owner.completion.begin_one();
  constexpr int in_order = 1;
  constexpr int chosen_later = -1;
  constexpr int keeps_job = 0;
  starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
      data, chosen_later, STARPU_W, choose_node, fits, transfer, in_order, keeps_job, nullptr,
      nullptr, STARPU_DEFAULT_PRIO);
}

void StarpuMpiEngine::choose_node(void* data, int* node, starpu_data_access_mode /*mode*/) {
  auto* const transfer = static_cast<PendingTransfer*>(data);
  transfer->node = *node = static_cast<int>(node_to_receive_in(transfer->data));
}

void StarpuMpiEngine::fits(void* data) { close(static_cast<PendingTransfer*>(data)); }

void StarpuMpiEngine::has_travelled(void* data) {
  backoff_of_thread().reset();
  auto* const transfer = static_cast<PendingTransfer*>(data);
  StarpuMpiEngine& engine = *transfer->engine;
  const Count bytes = bytes_of(transfer->data);
  {
    const std::lock_guard lock(engine.mutex_);
    const bool sends = transfer->kind == Message::Kind::send;
    (sends ? engine.traffic_.messages_sent : engine.traffic_.messages_received) += 1;
    (sends ? engine.traffic_.bytes_sent : engine.traffic_.bytes_received) += bytes;
  }
  Completion& completion = transfer->owner.completion;
  delete transfer;
  completion.end_one();
}

bool StarpuMpiEngine::makes_wait() const {
  const std::lock_guard lock(mutex_);
  return !to_make_.empty();
}

Traffic StarpuMpiEngine::traffic() const {
  const std::lock_guard lock(mutex_);
  return traffic_;
}

DirectTraffic StarpuMpiEngine::direct_traffic() const {
  const std::lock_guard lock(mutex_);
  return direct_;
}

}  // namespace espalier::internal
