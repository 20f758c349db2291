// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <exception>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// MPI during the lifetime of this object. If the application has not initialised MPI, this object
/// initialises it for calls from any thread, and finalises it.
class MpiSession {
 public:
  /// Throws RuntimeFailure.
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

 private:
  bool owned_ = false;
};

/// A duplicate of a communicator of the application, so that its messages and those of the
/// application do not mix. Rank 0 is the root. If a call of MPI fails, the function throws
/// RuntimeFailure. Arrays may have any length.
class Communicator {
 public:
  /// Duplicates the communicator. Throws UsageError if MPI is not initialised with
  /// MPI_THREAD_MULTIPLE. Messages of more than `piece` bytes are sent in pieces, because MPI
  /// counts in int. Collective.
  explicit Communicator(MPI_Comm comm, Count piece = Count{1} << 30);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Index rank() const { return rank_; }
  Index size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  MPI_Comm get() const { return comm_; }

  /// Copies the array of the root, with its length, to all ranks. Collective.
  template <typename T>
  void broadcast(std::vector<T>& values) const {
    Count count = std::ssize(values);
    broadcast_bytes(&count, sizeof count);
    values.resize(static_cast<std::size_t>(count));
    broadcast_bytes(values.data(), count * static_cast<Count>(sizeof(T)));
  }
  template <typename T>
  void broadcast(T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(&value, sizeof value);
  }
  /// The other rank must receive with the same type. Messages between two ranks keep their order.
  template <typename T>
  void send(std::span<const T> values, Index to) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const Count count = std::ssize(values);
    send_bytes(&count, sizeof count, to);
    send_bytes(values.data(), count * static_cast<Count>(sizeof(T)), to);
  }
  template <typename T>
  void receive(std::vector<T>& values, Index from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    Count count = 0;
    receive_bytes(&count, sizeof count, from);
    values.resize(static_cast<std::size_t>(count));
    receive_bytes(values.data(), count * static_cast<Count>(sizeof(T)), from);
  }
  /// Receives an array into existing memory, which must be large enough. Returns the number of
  /// received values.
  template <typename T>
  std::size_t receive_piece(std::span<T> values, Index from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    Count count = 0;
    receive_bytes(&count, sizeof count, from);
    receive_bytes(values.first(static_cast<std::size_t>(count)).data(),
                  count * static_cast<Count>(sizeof(T)), from);
    return static_cast<std::size_t>(count);
  }
  /// Returns the values of all ranks, on every rank. Collective.
  template <typename T>
  std::vector<T> gather_from_all(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size_));
    gather_bytes(&value, all.data(), sizeof value);
    return all;
  }
  /// Returns the arrays of all ranks on the root, and an empty result on other ranks. Collective.
  template <typename T>
  std::vector<std::vector<T>> gather(std::span<const T> values) const {
    if (!is_root()) return send(values, 0), std::vector<std::vector<T>>();
    std::vector<std::vector<T>> all(static_cast<std::size_t>(size_));
    all[0].assign(values.begin(), values.end());
    for (Index rank = 1; rank < size_; ++rank) receive(all[static_cast<std::size_t>(rank)], rank);
    return all;
  }

  /// Returns the smallest value of all ranks, on every rank. Collective.
  Index least_of_all(Index value) const;

  /// Replaces each value by its sum over all ranks, on every rank. Collective.
  void add_up(std::span<double> values) const;
  /// Replaces each value by its maximum over all ranks, on every rank. MPI does not define the
  /// result for NaN. Collective.
  void find_largest(std::span<double> values) const;

  /// If some ranks pass an exception, throws the exception of the first of them on all ranks. A
  /// rank without an exception passes null. Collective.
  void settle(const std::exception_ptr& thrown) const;

 private:
  void broadcast_bytes(void* data, Count bytes, Index from = 0) const;
  void reduce(std::span<double> values, MPI_Op operation) const;
  void send_bytes(const void* data, Count bytes, Index to) const;
  void receive_bytes(void* data, Count bytes, Index from) const;
  void gather_bytes(const void* data, void* all, Count bytes) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  Count piece_;
  Index rank_ = 0;
  Index size_ = 1;
};

/// Calls f on every rank and returns its result. If f throws on some ranks, all ranks throw the
/// error of the first of them. A rank must not wait for another rank within f. Collective.
template <typename F>
std::invoke_result_t<F> agree(const Communicator& comm, F f) {
  using Result = std::invoke_result_t<F>;
  std::exception_ptr thrown;
  if constexpr (std::is_void_v<Result>) {
    try {
      f();
    } catch (...) {
      thrown = std::current_exception();
    }
    comm.settle(thrown);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(f());
    } catch (...) {
      thrown = std::current_exception();
    }
    comm.settle(thrown);
    return std::move(*result);
  }
}

/// Sends the array give(rank) to each rank, and calls take(rank, array) with the array from each
/// rank. A rank's array for itself is not sent. In each round every rank exchanges arrays with one
/// other rank or with itself; the lower of the two ranks sends first. Collective.
template <typename T, typename Give, typename Take>
void exchange(const Communicator& comm, Give give, Take take) {
  std::vector<T> taken;
  for (Index round = 0; round < comm.size(); ++round) {
    const Index other = (round - comm.rank() + comm.size()) % comm.size();
    if (other == comm.rank()) {
      take(other, std::span<const T>(give(other)));
      continue;
    }
    if (comm.rank() < other) comm.send(std::span<const T>(give(other)), other);
    comm.receive(taken, other);
    take(other, std::span<const T>(taken));
    if (comm.rank() > other) comm.send(std::span<const T>(give(other)), other);
  }
}

/// Returns the seconds that this rank's clock is behind the clock of the root. Uses the fastest of
/// some round trips of a message. The error is less than half of the time of that round trip.
/// Collective.
double behind_root(const Communicator& comm, double (*clock)() = steady_seconds);

}  // namespace espalier::internal
