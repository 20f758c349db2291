// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

/// Common code for tests of the stand-in. Each misuse is made in a child process, which the
/// stand-in ends.
namespace espalier::support {

/// Returns whether CUDA's functions are those of the stand-in.
inline bool on_stand_in() {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
         std::strcmp(properties.name, "stand-in") == 0;
}

class StandInCase : public testing::Test {
 protected:
  void SetUp() override {
    if (!on_stand_in()) GTEST_SKIP() << "there is no stand-in for CUDA here";
  }

  template <class T = double>
  static T* on_device(std::size_t count) {
    T* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, count * sizeof(T)), cudaSuccess);
    return memory;
  }
  template <class T = double>
  static T* pinned(std::size_t count) {
    T* memory = nullptr;
    EXPECT_EQ(cudaMallocHost(&memory, count * sizeof(T)), cudaSuccess);
    return memory;
  }
  static cudaStream_t stream() {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), cudaSuccess);
    return made;
  }
  /// Sets a variable of the stand-in.
  static void set(const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): nobody else sets any
  }
  /// Delays the beginning of each job on streams from now on.
  static void delay(int microseconds) { set("STAND_IN_DELAY", std::to_string(microseconds)); }
  static void wait() { cudaDeviceSynchronize(); }

  static constexpr int late =
      20'000;  ///< microseconds: longer than the immediate actions of a test
};

/// Expects that the stand-in ends a process that runs the statement, with a message that matches.
#define EXPECT_MISUSE(statement, words) \
  EXPECT_EXIT({ statement; }, testing::ExitedWithCode(99), "stand-in: .*" words)

}  // namespace espalier::support
