// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "cuda/stand_in/misuse.hpp"
#include "cuda/stand_in/order.hpp"

/// A stream of the stand-in: a thread that runs its jobs in order. STAND_IN_LATE is the seed of
/// random delays, and STAND_IN_DELAY is a fixed delay of each job, in microseconds. CUDA's headers
/// declare its types in the global namespace.
// NOLINTNEXTLINE(readability-identifier-naming)
struct CUstream_st {
 public:
  CUstream_st(int device, bool waits_for_default);
  ~CUstream_st();
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  using Job = std::function<void()>;
  void enqueue(const char* function, Job job);
  /// Waits until all jobs submitted so far have ended.
  void wait();
  long given();
  bool has_done(long count);
  void wait_for(long count);

  const int device;
  const bool waits_for_default;  ///< whether it is a blocking stream, as CUDA defines it
  const long number;

 private:
  struct Work {
    const char* function = nullptr;
    Job job;  ///< an empty job ends the thread
    stand_in::Knowledge known{};
  };
  void work();
  void be_late();

  std::minstd_rand random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> jobs_;
  long given_ = 0;
  long done_ = 0;
  std::thread thread_;
};

namespace stand_in {

using Stream = std::shared_ptr<CUstream_st>;

/// Makes a stream of the device of the thread.
CUstream_st* make_stream(bool waits_for_default);
/// Ends a stream. Returns false if it does not exist.
bool end_stream(CUstream_st* stream);
/// Returns the stream, with shared ownership. Calls misuse() if it does not exist or belongs to
/// another device than that of the thread.
Stream stream_of(CUstream_st* stream);

/// Submits the job to the stream. Without a stream, runs it now, after all pending jobs on streams
/// of the device that wait for the default one.
void run_on(CUstream_st* stream, const char* function, CUstream_st::Job job);
/// Waits for all streams of a device.
void wait_for_all(int device);

}  // namespace stand_in
