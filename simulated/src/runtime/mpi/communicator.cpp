// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/communicator.hpp"

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <starpu_mpi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "base/work_recorder.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Returns the mailbox for messages from the main thread of one rank to that of another. MPI
/// belongs to StarPU-MPI's simulated thread, so these messages use SimGrid's mailboxes, over the
/// same simulated network.
sg_mailbox_t mailbox(Index from, Index to) {
  return sg_mailbox_by_name(("ranks-" + std::to_string(from) + "-" + std::to_string(to)).c_str());
}

/// Returns the host of the node of a rank. Consecutive ranks share a node if there are fewer nodes.
sg_host_t host_of(Index rank, Index ranks) {
  const auto node = [](Index k) {
    return sg_host_by_name(("node-" + std::to_string(k)).c_str());  // null if it does not exist
  };
  Index nodes = 1;
  while (nodes < ranks && node(nodes) != nullptr) ++nodes;
  return node(rank * nodes / ranks);
}

constexpr Count header = 64;  ///< bytes that each message has in addition to its content

struct Parcel {
  Count bytes;
  std::unique_ptr<char[]> content;
};

/// A wait of this rank, in which other ranks compute. The constructor advances the simulated clock
/// by the time of this rank's work so far. The destructor excludes the wait from the work.
class Waiting {
 public:
  Waiting() {
    if (WorkRecorder* const recorder = WorkRecorder::current()) recorder->settle();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (WorkRecorder* const recorder = WorkRecorder::current()) recorder->skip();
  }
};

}  // namespace

MpiSession::MpiSession() = default;

MpiSession::~MpiSession() = default;

Communicator::Communicator(MPI_Comm comm, Count piece) : comm_(comm), piece_(piece) {
  rank_ = starpu_mpi_world_rank();
  size_ = starpu_mpi_world_size();
  sg_actor_set_host(sg_actor_self(), host_of(rank_, size_));
}

Communicator::~Communicator() = default;

void Communicator::send_bytes(const void* data, Count bytes, Index to) const {
  auto parcel = std::make_unique<Parcel>();
  parcel->bytes = bytes;
  parcel->content = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
  std::memcpy(parcel->content.get(), data, static_cast<std::size_t>(bytes));
  // Under SMPI the receiver gets a copy of the value at this address. `given` lives long enough,
  // because sg_mailbox_put() returns when the message has arrived.
  Parcel* given = parcel.release();
  const Waiting waiting;
  sg_mailbox_put(mailbox(rank_, to), static_cast<void*>(&given), bytes + header);
}

void Communicator::receive_bytes(void* data, Count bytes, Index from) const {
  const Waiting waiting;
  const std::unique_ptr<Parcel> parcel(static_cast<Parcel*>(sg_mailbox_get(mailbox(from, rank_))));
  if (parcel->bytes != bytes) throw RuntimeFailure("a simulated message has another length");
  std::memcpy(data, parcel->content.get(), static_cast<std::size_t>(bytes));
}

/// Uses a binomial tree.
void Communicator::broadcast_bytes(void* data, Count bytes, Index from) const {
  const Index place = (rank_ - from + size_) % size_;
  const auto rank_at = [&](Index p) { return (p + from) % size_; };
  Index reach = 1;
  while (reach < size_) reach *= 2;
  for (Index step = reach / 2; step > 0; step /= 2) {
    if (place % (2 * step) == step) receive_bytes(data, bytes, rank_at(place - step));
    if (place % (2 * step) == 0 && place + step < size_) {
      send_bytes(data, bytes, rank_at(place + step));
    }
  }
}

void Communicator::gather_bytes(const void* data, void* all, Count bytes) const {
  char* const array = static_cast<char*>(all);
  std::memcpy(array + rank_ * bytes, data, static_cast<std::size_t>(bytes));
  if (is_root()) {
    for (Index r = 1; r < size_; ++r) receive_bytes(array + r * bytes, bytes, r);
  } else {
    send_bytes(data, bytes, 0);
  }
  broadcast_bytes(all, bytes * size_);
}

void Communicator::reduce(std::span<double> values, MPI_Op operation) const {
  const auto bytes = static_cast<Count>(values.size_bytes());
  if (!is_root()) send_bytes(values.data(), bytes, 0);
  std::vector<double> others(values.size());
  for (Index r = 1; is_root() && r < size_; ++r) {
    receive_bytes(others.data(), bytes, r);
    std::transform(
        values.begin(), values.end(), others.begin(), values.begin(),
        [&](double a, double b) { return operation == MPI_MAX ? std::max(a, b) : a + b; });
  }
  broadcast_bytes(values.data(), bytes);
}

void Communicator::add_up(std::span<double> values) const { reduce(values, MPI_SUM); }

void Communicator::find_largest(std::span<double> values) const { reduce(values, MPI_MAX); }

}  // namespace espalier::internal
