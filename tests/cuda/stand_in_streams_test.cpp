// SPDX-License-Identifier: BSD-3-Clause
#include <cublas_v2.h>
#include <unistd.h>

#include <cmath>

#include "codelets/cuda/kernels.hpp"
#include "cuda/stand_in_case.hpp"

/// Checks of the stand-in for asynchronous work, several devices and failures.
namespace espalier::internal {
namespace {

class StandInStreams : public support::StandInCase {
 protected:
  static cudaEvent_t event() {
    cudaEvent_t made = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), cudaSuccess);
    return made;
  }
  static void copy_later(double* there, const double* here, cudaStream_t on = stream()) {
    cudaMemcpyAsync(there, here, sizeof(double), cudaMemcpyDefault, on);
  }
  static void fail(const char* when) { set("STAND_IN_FAILS", when); }
  static void expect(bool holds) {
    if (!holds) std::_Exit(1);
  }
  static void expect_two_devices() {
    int count = 0;
    cudaGetDeviceCount(&count);
    if (count < 2) GTEST_SKIP() << "the stand-in has one device only";
  }
};

TEST_F(StandInStreams, ReadMemoryOfTheHostUntilTheirTurn) {
  EXPECT_MISUSE(
      {
        double* const here = pinned(1);
        delay(late);
        copy_later(on_device(1), here);
        cudaFreeHost(here);
        wait();
      },
      "cudaMemcpyAsync on device 0, job 0 of stream .*: the source at .* is memory of the host "
      "that "
      "is not pinned");
  EXPECT_MISUSE(
      {
        double* const here = pinned(1);
        *here = 1;
        delay(late);
        copy_later(on_device(1), here);
        *here = 2;
        wait();
      },
      "the source was changed between the call and the copy");
}

TEST_F(StandInStreams, WriteMemoryOfTheHostAtTheirTurn) {
  EXPECT_MISUSE(
      {
        static double here = 0;
        cudaHostRegister(&here, sizeof here, 0);
        delay(late);
        copy_later(&here, on_device(1));
        cudaHostUnregister(&here);
        wait();
      },
      "the target at .* is memory of the host that is not pinned");
  EXPECT_EXIT(
      {
        double* const here = pinned(1);
        *here = 1;
        double* const there = on_device(1);
        cudaMemset(there, 0, sizeof *there);
        delay(late);
        copy_later(here, there);
        expect(std::isnan(*here));
        wait();
        expect(*here == 0);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

/// If memory is not pinned, CUDA copies a source before the call returns, and waits for a copy into
/// a target.
TEST_F(StandInStreams, CopyMemoryThatIsNotPinnedAtOnce) {
  EXPECT_EXIT(
      {
        double here = 1;
        double* const there = on_device(1);
        delay(late);
        const cudaStream_t work = stream();
        copy_later(there, &here, work);
        here = 2;
        copy_later(&here, there, work);
        expect(here == 1);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

/// The stand-in finds this misuse even if the two jobs do not overlap in this run.
TEST_F(StandInStreams, DoNotWaitForEachOther) {
  EXPECT_MISUSE(
      {
        double* const there = on_device(1);
        copy_later(there, pinned(1));
        usleep(late);
        cudaMemcpy(pinned(1), there, sizeof *there, cudaMemcpyDeviceToHost);
      },
      "cudaMemcpy on device 0: this reads memory that job 0 of stream .* writes, and nothing "
      "orders");
  EXPECT_MISUSE(
      {
        double* const there = on_device(1);
        delay(late);
        copy_later(there, pinned(1));
        cudaMemcpy(pinned(1), there, sizeof *there, cudaMemcpyDeviceToHost);
        wait();
      },
      "cudaMemcpyAsync on device 0, job 0 .*: this writes memory that the host reads, and nothing");
  const auto clear_after = [](auto wait_for) {
    double* const there = on_device(1);
    const cudaStream_t first = stream();
    const cudaEvent_t done = event();
    copy_later(pinned(1), there, first);
    cudaEventRecord(done, first);
    wait_for(first, done);
    cuda::launch(cuda::Zeros{{there, 1, 1, 1}}, stream());
    wait();
    std::_Exit(0);
  };
  EXPECT_MISUSE(clear_after([](cudaStream_t /*stream*/, cudaEvent_t /*done*/) { usleep(late); }),
                "Zeros on device 0, job 0 .*: this writes memory that job 0 of stream .* reads");
  EXPECT_EXIT(
      clear_after([](cudaStream_t stream, cudaEvent_t /*done*/) { cudaStreamSynchronize(stream); }),
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(clear_after([](cudaStream_t /*stream*/, cudaEvent_t done) {
                while (cudaEventQuery(done) == cudaErrorNotReady) {
                }
              }),
              testing::ExitedWithCode(0), "");
}

TEST_F(StandInStreams, AreThere) {
  EXPECT_MISUSE(
      {
        const cudaStream_t gone = stream();
        cudaStreamDestroy(gone);
        copy_later(on_device(1), pinned(1), gone);
      },
      "the stream does not exist, or no longer");
  EXPECT_MISUSE(
      {
        const cudaEvent_t gone = event();
        cudaEventDestroy(gone);
        cudaEventQuery(gone);
      },
      "the event does not exist, or no longer");
}

TEST_F(StandInStreams, BelongToADevice) {
  expect_two_devices();
  if (IsSkipped()) return;
  const auto on_other = [](auto work) {
    const cudaStream_t first = stream();
    const cudaEvent_t of_first = event();
    cublasHandle_t blas = nullptr;
    cublasCreate(&blas);
    double* const memory = on_device(1);
    cudaSetDevice(1);
    work(first, of_first, blas, memory);
    wait();
    std::_Exit(0);
  };
  EXPECT_MISUSE(
      on_other([](auto s, auto /*e*/, auto /*b*/, auto m) { copy_later(m, pinned(1), s); }),
      "cudaMemcpyAsync on device 1: the stream is one of device 0");
  EXPECT_MISUSE(
      on_other([](auto /*s*/, auto e, auto /*b*/, auto /*m*/) { cudaEventRecord(e, stream()); }),
      "the event is one of device 0, the stream is not");
  EXPECT_MISUSE(
      on_other([](auto /*s*/, auto /*e*/, auto b, auto /*m*/) { cublasSetStream(b, stream()); }),
      "the handle is one of device 0");
  const auto clear = [](auto /*s*/, auto /*e*/, auto /*b*/, auto m) {
    cuda::launch(cuda::Zeros{{m, 1, 1, 1}}, stream());
  };
  EXPECT_MISUSE(on_other(clear),
                "Zeros on device 1.* is memory of device 0, which this one may not");
  EXPECT_EXIT(on_other([&](auto s, auto e, auto b, auto m) {
                cudaDeviceEnablePeerAccess(0, 0);
                clear(s, e, b, m);
              }),
              testing::ExitedWithCode(0), "");
  EXPECT_MISUSE(on_other([](auto /*s*/, auto /*e*/, auto /*b*/, auto m) {
                  cudaMemcpyPeer(on_device(1), 1, m, 1, sizeof(double));
                }),
                "cudaMemcpyPeer on device 1: an address is not one of device 1");
}

TEST_F(StandInStreams, FailForEverWithTheirDevice) {
  EXPECT_EXIT(
      {
        fail("kernel:1");
        double* const there = on_device(1);
        const cudaStream_t work = stream();
        const cudaEvent_t done = event();
        cuda::launch(cuda::Zeros{{there, 1, 1, 1}}, work);
        expect(cudaStreamSynchronize(work) == cudaSuccess);
        delay(late);
        cuda::launch(cuda::Zeros{{there, 1, 1, 1}}, work);
        cudaEventRecord(done, work);
        expect(cudaStreamSynchronize(work) == cudaErrorIllegalAddress);
        expect(cudaEventQuery(done) == cudaErrorIllegalAddress);
        expect(cudaGetLastError() == cudaErrorIllegalAddress);
        expect(cudaGetLastError() == cudaErrorIllegalAddress);
        void* memory = nullptr;
        expect(cudaMalloc(&memory, 8) == cudaErrorIllegalAddress);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(StandInStreams, SurviveWantOfMemory) {
  EXPECT_EXIT(
      {
        fail("cudaMalloc:1:once");
        void* memory = nullptr;
        expect(cudaMalloc(&memory, 8) == cudaSuccess);
        expect(cudaMalloc(&memory, 8) == cudaErrorMemoryAllocation);
        expect(cudaMalloc(&memory, 8) == cudaSuccess);
        expect(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
        expect(cudaGetLastError() == cudaErrorMemoryAllocation);
        expect(cudaGetLastError() == cudaSuccess);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(StandInStreams, FailAtCopiesAndEvents) {
  EXPECT_EXIT(
      {
        fail("copy:0");
        copy_later(on_device(1), pinned(1));
        expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        fail("cudaEventRecord:0");
        expect(cudaEventRecord(event(), stream()) == cudaErrorIllegalAddress);
        expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace espalier::internal
