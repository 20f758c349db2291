// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace stand_in {

/// Whether this call of the function is to fail: STAND_IN_FAILS is "FUNCTION:CALLS", a function
/// that succeeds so many times and then no more.
bool fails(const char* function);

}  // namespace stand_in

/// A stream of the stand-in for CUDA: a thread that does what is given to it, one after another,
/// some time later. Types in the global namespace are those that CUDA's headers name.
struct CUstream_st {
 public:
  CUstream_st() : thread_([this] { work(); }) {}
  ~CUstream_st() {
    enqueue({});
    thread_.join();
  }
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  void enqueue(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    ++given_;
    changed_.notify_all();
  }
  /// Waits until all is done that has been given so far.
  void wait() {
    std::unique_lock lock(mutex_);
    const auto until = given_;
    changed_.wait(lock, [&] { return done_ >= until; });
  }
  long given() {
    const std::lock_guard lock(mutex_);
    return given_;
  }
  bool has_done(long count) {
    const std::lock_guard lock(mutex_);
    return done_ >= count;
  }
  void wait_for(long count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= count; });
  }

 private:
  /// An empty job ends the thread.
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !jobs_.empty(); });
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      if (!job) return;
      job();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  long given_ = 0;
  long done_ = 0;
  std::thread thread_;
};

namespace stand_in {

/// Does the job on the stream; without one, now, after all that is under way on any.
void run_on(CUstream_st* stream, std::function<void()> job);

}  // namespace stand_in
