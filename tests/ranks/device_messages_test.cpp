// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "codelets/codelet.hpp"
#include "codelets/cuda/functions.hpp"
#include "ranks/rank_runtime.hpp"
#include "runtime/mpi/device_memory.hpp"
#include "runtime/starpu/memory.hpp"

namespace espalier::internal {
namespace {

/// Messages between the CUDA devices of ranks. The workers of each rank run.
class DeviceMessages : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (cuda::devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    if (ranks_ == 1) GTEST_SKIP() << "a rank does not send itself anything";
    runtime_.emplace(RuntimeOptions{.workers = 1, .scheduler = "eager", .cuda_devices = 1});
    runtime_->starpu.resume();
    device_ = static_cast<int>(
        starpu_worker_get_memory_node(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0)));
  }
  void TearDown() override {
    if (runtime_) runtime_->starpu.pause();
  }

  static bool is_valid(starpu_data_handle_t data, int node) {
    int valid = 0;
    starpu_data_query_status2(data, node, nullptr, &valid, nullptr, nullptr);
    return valid != 0;
  }
  /// Sends data that are valid only on the device to the next rank, and receives data from the
  /// previous one.
  void exchange(std::span<const starpu_data_handle_t> data, const TransferOwner& owner) {
    ASSERT_EQ(starpu_data_acquire_on_node(data[0], device_, STARPU_RW), 0);
    starpu_data_release_on_node(data[0], device_);
    ASSERT_FALSE(is_valid(data[0], STARPU_MAIN_RAM));
    const Message receive{.kind = Message::Kind::receive,
                          .data = 1,
                          .rank = (rank_ + ranks_ - 1) % ranks_,
                          .tag = 5,
                          .group_bytes = bytes,
                          .for_device = true};
    runtime_->engine.submit(receive, data[1], 0, owner);
    const Message send{
        .kind = Message::Kind::send, .data = 0, .rank = (rank_ + 1) % ranks_, .tag = 5};
    runtime_->engine.submit(send, data[0], 0, owner);
    owner.completion.wait();
  }
  void release(starpu_data_handle_t data, const TransferOwner& owner) {
    runtime_->engine.submit({.kind = Message::Kind::release, .data = 1}, data, 0, owner);
    owner.completion.wait();
  }

  static constexpr Index rows = 5;
  static constexpr Index columns = 40;
  static constexpr Count bytes = Count{8} * rows * columns;
  int rank_ = 0;
  int ranks_ = 1;
  int device_ = 0;
  std::optional<support::RankRuntime> runtime_;
  Completion completion_;
  BufferPool pool_{0, {0, bytes}};
};

/// If MPI supports device memory, the host never gets the data. Otherwise both hosts get them.
TEST_F(DeviceMessages, TravelWithoutTheHostWhereMpiKnowsDevices) {
  constexpr Index ld = 8;
  std::vector<double> memory(Count{ld} * columns);
  const MatrixView own{memory.data() + 2, rows, columns, ld};
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) own(i, j) = rank_ + 10.0 * i + 100.0 * j;
  }
  const Handles handles(std::array<DataView, 2>{own, MatrixView{nullptr, rows, columns, rows}});
  const starpu_data_handle_t got = handles.all()[1];
  const TransferOwner owner{completion_, &pool_};
  exchange(handles.all(), owner);
  const bool directly = messages_reach_devices();
  EXPECT_EQ(is_valid(handles.all()[0], STARPU_MAIN_RAM), !directly);
  EXPECT_EQ(is_valid(got, STARPU_MAIN_RAM), !directly);
  EXPECT_EQ(is_valid(got, device_), directly);
  const DirectTraffic one{1, 1, bytes, bytes};
  EXPECT_EQ(runtime_->engine.direct_traffic(), directly ? one : DirectTraffic{});
  EXPECT_EQ(runtime_->engine.traffic(), (Traffic{1, 1, bytes, bytes}));
  ASSERT_EQ(starpu_data_acquire(got, STARPU_R), 0);
  const MatrixView there = view_of(starpu_data_get_interface_on_node(got, STARPU_MAIN_RAM));
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      ASSERT_EQ(there(i, j), (rank_ + ranks_ - 1) % ranks_ + 10.0 * i + 100.0 * j);
    }
  }
  starpu_data_release(got);
  release(got, owner);
}

/// The failure is noticed even if no task reads the data.
TEST_F(DeviceMessages, TellOfAFailureWhenTheyArrive) {
  std::vector<double> memory(static_cast<std::size_t>(rows) * columns, 1.0);
  const MatrixView own{memory.data(), rows, columns, rows};
  if (rank_ == 0) mark_as_failed(own);
  const Handles handles(std::array<DataView, 2>{own, MatrixView{nullptr, rows, columns, rows}});
  Failure failure;
  const TransferOwner owner{completion_, &pool_, &failure};
  exchange(handles.all(), owner);
  EXPECT_EQ(failure.happened(), rank_ == 1);
  EXPECT_EQ(failure.column(), -1);
  release(handles.all()[1], owner);
}

}  // namespace
}  // namespace espalier::internal
