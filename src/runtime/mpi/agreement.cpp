// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/caught_error.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

Index Communicator::least_of_all(Index value) const {
  const std::vector<Index> all = gather_from_all(value);
  return *std::min_element(all.begin(), all.end());
}

void Communicator::settle(const std::exception_ptr& thrown) const {
  const std::vector<Index> failed = gather_from_all(thrown ? rank_ : size_);
  const Index first = *std::min_element(failed.begin(), failed.end());
  if (first == size_) return;
  CaughtError error;
  if (first == rank_) {
    try {
      std::rethrow_exception(thrown);
    } catch (...) {
      error = current_error();
    }
  }
  Count length = std::ssize(error.message);
  broadcast_bytes(&error.code, sizeof error.code, first);
  broadcast_bytes(&length, sizeof length, first);
  error.message.resize(static_cast<std::size_t>(length));
  broadcast_bytes(error.message.data(), length, first);
  if (first == rank_) std::rethrow_exception(thrown);
  throw_error(error);
}

namespace {

constexpr int messages = 20;

void answer(const Communicator& comm, Index rank, double (*clock)()) {
  std::vector<double> time;
  for (int k = 0; k < messages; ++k) {
    comm.receive(time, rank);
    time.assign(1, clock());
    comm.send(std::span<const double>(time), rank);
  }
}

/// Returns the result of behind_root() on a rank that is not the root (F. Cristian, "Probabilistic
/// clock synchronization", 1989).
double ask(const Communicator& comm, double (*clock)()) {
  double fastest = std::numeric_limits<double>::infinity();
  double behind = 0;
  std::vector<double> time(1);
  for (int k = 0; k < messages; ++k) {
    const double begin = clock();
    comm.send(std::span<const double>(time), 0);
    comm.receive(time, 0);
    const double end = clock();
    if (end - begin >= fastest) continue;
    fastest = end - begin;
    behind = time.front() - (begin + end) / 2;
  }
  return behind;
}

}  // namespace

double behind_root(const Communicator& comm, double (*clock)()) {
  if (!comm.is_root()) return ask(comm, clock);
  for (Index rank = 1; rank < comm.size(); ++rank) answer(comm, rank, clock);
  return 0;
}

}  // namespace espalier::internal
