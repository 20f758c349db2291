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

/// A stream of the stand-in for CUDA: a thread that does what is given to it, one after another,
/// some time later: with STAND_IN_LATE, a seed, after delays by chance, with STAND_IN_DELAY after
/// so many microseconds each. Types in the global namespace are those that CUDA's headers name.
// NOLINTNEXTLINE(readability-identifier-naming)
struct CUstream_st {
 public:
  CUstream_st(int device, bool waits_for_default);
  ~CUstream_st();
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  using Job = std::function<void()>;
  void enqueue(const char* function, Job job);
  /// Waits until all is done that has been given so far.
  void wait();
  long given();
  bool has_done(long count);
  void wait_for(long count);

  const int device;
  const bool waits_for_default;  ///< whether it is a blocking stream, as CUDA says
  const long number;

 private:
  struct Work {
    const char* function = nullptr;
    Job job;  ///< an empty one ends the thread
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
/// Ends it; false where there is none.
bool end_stream(CUstream_st* stream);
/// Returns the stream, which lives as long as somebody has it. Calls misuse() where there is none,
/// or where it is one of another device than the thread's.
Stream stream_of(CUstream_st* stream);

/// Does the job on the stream; without one, now, after all that is under way on those streams of
/// the device that wait for the default one.
void run_on(CUstream_st* stream, const char* function, CUstream_st::Job job);
/// Waits for all streams of a device.
void wait_for_all(int device);

}  // namespace stand_in
