// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/communicator.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/caught_error.hpp"

namespace espalier {

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

/// Calls f(begin, bytes) for pieces of an array.
template <typename F>
void for_each_piece(Count bytes, Count piece, F f) {
  for (Count begin = 0; begin < bytes; begin += piece) {
    expect_success(f(begin, static_cast<int>(std::min(piece, bytes - begin))));
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
  for_each_piece(bytes, piece_, [&](Count begin, int count) {
    return MPI_Bcast(static_cast<char*>(data) + begin, count, MPI_BYTE, 0, comm_);
  });
}

void Communicator::send_bytes(const void* data, Count bytes, Index to) const {
  for_each_piece(bytes, piece_, [&](Count begin, int count) {
    return MPI_Send(static_cast<const char*>(data) + begin, count, MPI_BYTE, to, tag, comm_);
  });
}

void Communicator::receive_bytes(void* data, Count bytes, Index from) const {
  for_each_piece(bytes, piece_, [&](Count begin, int count) {
    return MPI_Recv(static_cast<char*>(data) + begin, count, MPI_BYTE, from, tag, comm_,
                    MPI_STATUS_IGNORE);
  });
}

void Communicator::gather_bytes(const void* data, void* all, Count bytes) const {
  const auto count = static_cast<int>(bytes);
  expect_success(MPI_Allgather(data, count, MPI_BYTE, all, count, MPI_BYTE, comm_));
}

void Communicator::settle(const std::exception_ptr& thrown) const {
  Index first = thrown ? rank_ : size_;
  expect_success(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, comm_));
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

}  // namespace espalier
