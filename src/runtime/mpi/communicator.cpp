// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>

#include "base/backoff.hpp"
#include "espalier/error.hpp"
#include "runtime/mpi/open_mpi_yield.hpp"

namespace espalier::internal {

namespace {

constexpr int tag = 0;  ///< one tag is enough because messages between two ranks keep their order

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
      "MPI is not initialised with MPI_THREAD_MULTIPLE, which several ranks need; request it from "
      "MPI_Init_thread, or use an MPI that supports it");
}

/// Waits for a message that may take long. MPI's own wait would spin and occupy a core.
void wait(MPI_Request& request) {
  constexpr std::chrono::milliseconds longest_sleep{2};
  const WithoutYield without_yield;
  Backoff backoff(longest_sleep);
  int done = 0;
  while (true) {
    expect_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    backoff.pause();
  }
}

/// Starts a message with f(request) and waits for it.
template <typename F>
void complete(F f) {
  MPI_Request request = MPI_REQUEST_NULL;
  expect_success(f(&request));
  wait(request);
}

/// Calls f(begin, bytes, request) for each piece of an array, one after the other.
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

void Communicator::broadcast_bytes(void* data, Count bytes, Index from) const {
  for_each_piece(bytes, piece_, [&](Count begin, int count, MPI_Request* request) {
    return MPI_Ibcast(static_cast<char*>(data) + begin, count, MPI_BYTE, from, comm_, request);
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

void Communicator::reduce(std::span<double> values, MPI_Op operation) const {
  constexpr std::size_t piece = std::size_t{1} << 27;  // MPI counts in int
  while (!values.empty()) {
    const auto part = values.first(std::min(piece, values.size()));
    complete([&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_DOUBLE,
                            operation, comm_, request);
    });
    values = values.subspan(part.size());
  }
}

void Communicator::add_up(std::span<double> values) const { reduce(values, MPI_SUM); }

void Communicator::find_largest(std::span<double> values) const { reduce(values, MPI_MAX); }

}  // namespace espalier::internal
