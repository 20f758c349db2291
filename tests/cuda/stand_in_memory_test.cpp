// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cmath>
#include <vector>

#include "codelets/cuda/kernels.hpp"
#include "cuda/stand_in_case.hpp"

/// Checks of the stand-in for memory and copies.
namespace espalier::internal {
namespace {

using StandInMemory = support::StandInCase;

TEST_F(StandInMemory, IsOutOfReachOfTheHost) {
  EXPECT_MISUSE(on_device(8)[3] = 1,
                "the host touches memory of a device.*24 bytes after the begin");
  EXPECT_MISUSE(
      {
        double* const there = on_device(8);
        cudaFree(there);
        _exit(there[0] > 0 ? 1 : 2);
      },
      "the host touches memory of a device");
}

TEST_F(StandInMemory, IsFreedOnce) {
  EXPECT_MISUSE(
      {
        double* const there = on_device(8);
        cudaFree(there);
        cudaFree(there);
      },
      "cudaFree on device 0: .*in no memory that is allocated");
  EXPECT_MISUSE(cudaFree(on_device(8) + 1), "not memory of a device, or it is already freed");
  EXPECT_MISUSE(
      {
        double value = 0;
        cudaFreeHost(&value);
      },
      "cudaFreeHost on device 0: CUDA has not allocated");
}

TEST_F(StandInMemory, HasNoAddressTwiceAndNoNumberThatNobodyWrote) {
  double* const first = on_device(4);
  cudaFree(first);
  double* const second = on_device(4);
  EXPECT_NE(first, second);
  double here[4]{};
  ASSERT_EQ(cudaMemcpy(here, second, sizeof here, cudaMemcpyDeviceToHost), cudaSuccess);
  for (const double value : here) EXPECT_TRUE(std::isnan(value));
  cudaFree(second);
}

TEST_F(StandInMemory, EndsWhereItIsSaidTo) {
  double here[9]{};
  EXPECT_MISUSE(cudaMemcpy(on_device(8), here, sizeof here, cudaMemcpyHostToDevice),
                "cudaMemcpy on device 0: the target at .* has 72 bytes, but only 64 are left");
  EXPECT_MISUSE(cudaMemset(on_device(8), 0, 65), "has 65 bytes, but only 64");
}

TEST_F(StandInMemory, IsLookedAtAround) {
  EXPECT_MISUSE(
      {
        double* const memory = pinned(1);
        memory[1] = 0;
        cudaFreeHost(memory);
      },
      "something was written behind piece");
  EXPECT_MISUSE(
      {
        double* const memory = pinned(1);
        memory[-1] = 0;
        cudaFreeHost(memory);
      },
      "something was written before piece");
  EXPECT_MISUSE(pinned(1)[32] = 0, "touches memory that is not pinned.*256 bytes after the begin");
}

TEST_F(StandInMemory, OfTheHostIsPinnedForKernels) {
  double value = 0;
  const auto start = [&](double* diagonal) {
    cuda::launch(cuda::Outcome{on_device(1), 1, 1, on_device<int>(1), diagonal}, stream());
    wait();
  };
  EXPECT_MISUSE(start(&value),
                "Outcome on device 0, job 0 of stream .*the diagonal at .* not pinned");
  EXPECT_EXIT(start(pinned(1)); std::_Exit(0), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(cudaHostRegister(&value, sizeof value, 0); start(&value);
              std::_Exit(0), testing::ExitedWithCode(0), "");
}

TEST_F(StandInMemory, IsAllThatKernelsTouch) {
  const auto clear = [](Index rows, Index columns, Count ld) {
    cuda::launch(cuda::Zeros{{on_device(20), rows, columns, ld}}, stream());
    wait();
    std::_Exit(0);
  };
  EXPECT_EXIT(clear(5, 4, 5), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(clear(2, 4, 6), testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(clear(7, 3, 7), "Zeros on device 0, job 0 of stream .*168 bytes, but only 160");
}

cuda::Scatter scatter(double* from, double* target, const Index* row = nullptr) {
  cuda::Scatter work;
  work.from = from;
  work.rows = 4;
  work.from_ld = work.ld = 8;
  work.columns = 2;
  work.first_row = -2;
  work.target = target;
  work.row = row;
  return work;
}

const Index* list_there(const std::vector<Index>& list) {
  Index* there = nullptr;
  cudaMalloc(&there, list.size() * sizeof(Index));
  cudaMemcpy(there, list.data(), list.size() * sizeof(Index), cudaMemcpyHostToDevice);
  return there;
}

TEST_F(StandInMemory, IsAllThatListsOfKernelsName) {
  const auto run = [](const std::vector<Index>& rows, std::size_t space) {
    cuda::launch(scatter(on_device(16), on_device(space), list_there(rows)), stream());
    wait();
    std::_Exit(0);
  };
  EXPECT_EXIT(run({0, 1, 4, 7}, 16), testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(run({0, 1, 4, 7}, 15), "Scatter .*the target");
  EXPECT_MISUSE(run({0, 4, 4, 7}, 16), "the list of rows does not ascend");
  EXPECT_MISUSE(run({-1, 1, 4, 7}, 16), "the list of rows has a negative entry");
  EXPECT_MISUSE(run({0, 1, 4}, 16), "the list of rows at .* has 16 bytes, but only 12");
}

TEST_F(StandInMemory, IsWrittenByOneThreadOfAKernel) {
  EXPECT_MISUSE(
      {
        cuda::Scatters work;
        double* const target = on_device(32);
        for (const int place : {0, 3}) {
          work.of[work.count++] = scatter(on_device(16), target + place);
        }
        cuda::launch(work, stream());
        wait();
      },
      "Scatters .*two of the targets overlap");
}

TEST_F(StandInMemory, IsWrittenInAnyOrder) {
  const auto run = [](int distance) {
    set("STAND_IN_ORDER", "compare");
    double* const matrix = on_device(64);
    cudaMemset(matrix, 0x3f, 64 * sizeof(double));
    cuda::launch(scatter(matrix, matrix + distance), stream());
    wait();
    std::_Exit(0);
  };
  EXPECT_EXIT(run(32), testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(run(1), "Scatter .*depends on the order of its threads");
}

TEST_F(StandInMemory, IsCopiedAsTheCallSays) {
  double here[8]{};
  EXPECT_MISUSE(cudaMemcpy(here, on_device(8), 64, cudaMemcpyHostToDevice),
                "the direction is 1, but the source is on the device and the target on the host");
  EXPECT_MISUSE(
      {
        double* const there = on_device(8);
        cudaMemcpy(there, there + 2, 32, cudaMemcpyDeviceToDevice);
      },
      "source and target overlap");
  EXPECT_MISUSE(cudaMemcpy2D(on_device(8), 16, here, 8, 16, 2, cudaMemcpyHostToDevice),
                "the source has rows of 16 bytes that begin every 8");
}

TEST_F(StandInMemory, OfTheHostIsPinnedWhereThatIsAskedFor) {
  const auto copy = [](double* here) {
    set("STAND_IN_PAGEABLE", "8");
    cudaMemcpyAsync(on_device(2), here, 16, cudaMemcpyHostToDevice, stream());
    std::_Exit(0);
  };
  double here[2]{};
  EXPECT_MISUSE(copy(here),
                "cudaMemcpyAsync .*the source has 16 bytes of the host that are not pinned");
  EXPECT_EXIT(copy(pinned(2)), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace espalier::internal
