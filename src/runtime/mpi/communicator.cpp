// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/caught_error.hpp"
#include "base/clock.hpp"

namespace espalier::internal {

namespace {

constexpr int tag = 0;  ///< messages between two ranks keep their order

void expect_success(int code) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RuntimeFailure("a message between ranks failed: " +
                       std::string(text.data(), static_cast<std::size_t>(length)));
}

void expect_thread_multiple() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  int level = MPI_THREAD_SINGLE;
  if (initialised != 0) MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return;
  throw UsageError(
      "MPI is not initialised with MPI_THREAD_MULTIPLE, which several ranks need; ask "
      "MPI_Init_thread for it, or use an MPI that has it");
}

/// Waits for a message as one that may take long: MPI itself would spin, and take a core from
/// others. Sleeps longer and longer, up to a hundredth of what was waited for, but not at once: to
/// fall asleep and wake takes as long as to send a hundred KiB.
void wait(MPI_Request& request) {
  using namespace std::chrono_literals;
  constexpr std::chrono::nanoseconds awake = 200us;
  constexpr std::chrono::nanoseconds shortest = 20us;
  constexpr std::chrono::nanoseconds longest = 2ms;
  const Stopwatch watch;
  int done = 0;
  for (expect_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE)); done == 0;
       expect_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE))) {
    const std::chrono::nanoseconds waited(static_cast<Count>(watch.seconds() * 1e9));
    if (waited < awake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::clamp(waited / 100, shortest, longest));
    }
  }
}

/// Starts a message by f(request), and waits for it.
template <typename F>
void complete(F f) {
  MPI_Request request = MPI_REQUEST_NULL;
  expect_success(f(&request));
  wait(request);
}

/// Calls f(begin, bytes, request) for pieces of an array, one after the other.
template <typename F>
void for_each_piece(Count bytes, Count piece, F f) {
  for (Count begin = 0; begin < bytes; begin += piece) {
    const auto length = static_cast<int>(std::min(piece, bytes - begin));
    complete([&](MPI_Request* request) { return f(begin, length, request); });
  }
}

}  // namespace

MpiSession::MpiSession() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return;
  int level = MPI_THREAD_SINGLE;
  expect_success(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level));
  owned_ = true;
}

MpiSession::~MpiSession() {
  if (owned_) MPI_Finalize();
}

Communicator::Communicator(MPI_Comm comm, Count piece) : piece_(piece) {
  expect_thread_multiple();
  expect_success(MPI_Comm_dup(comm, &comm_));
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() { MPI_Comm_free(&comm_); }

void Communicator::broadcast_bytes(void* data, Count bytes) const {
  for_each_piece(bytes, piece_, [&](Count begin, int count, MPI_Request* request) {
    return MPI_Ibcast(static_cast<char*>(data) + begin, count, MPI_BYTE, 0, comm_, request);
  });
}

void Communicator::send_bytes(const void* data, Count bytes, Index to) const {
  for_each_piece(bytes, piece_, [&](Count begin, int count, MPI_Request* request) {
    return MPI_Isend(static_cast<const char*>(data) + begin, count, MPI_BYTE, to, tag, comm_,
                     request);
  });
}

void Communicator::receive_bytes(void* data, Count bytes, Index from) const {
  for_each_piece(bytes, piece_, [&](Count begin, int count, MPI_Request* request) {
    return MPI_Irecv(static_cast<char*>(data) + begin, count, MPI_BYTE, from, tag, comm_, request);
  });
}

void Communicator::gather_bytes(const void* data, void* all, Count bytes) const {
  const auto count = static_cast<int>(bytes);
  complete([&](MPI_Request* request) {
    return MPI_Iallgather(data, count, MPI_BYTE, all, count, MPI_BYTE, comm_, request);
  });
}

Index Communicator::least_of_all(Index value) const {
  Index least = value;
  complete([&](MPI_Request* request) {
    return MPI_Iallreduce(&value, &least, 1, MPI_INT32_T, MPI_MIN, comm_, request);
  });
  return least;
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
  auto length = static_cast<int>(error.message.size());
  expect_success(MPI_Bcast(&error.code, sizeof error.code, MPI_BYTE, first, comm_));
  expect_success(MPI_Bcast(&length, 1, MPI_INT, first, comm_));
  error.message.resize(static_cast<std::size_t>(length));
  expect_success(MPI_Bcast(error.message.data(), length, MPI_BYTE, first, comm_));
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

}  // namespace espalier::internal
