// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/rank_clocks.hpp"

#include <limits>
#include <span>
#include <vector>

namespace espalier {

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

/// F. Cristian, "Probabilistic clock synchronization", 1989.
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

}  // namespace espalier
