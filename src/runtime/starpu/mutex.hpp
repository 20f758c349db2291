// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

namespace espalier::internal {

/// A mutex of StarPU. A thread that calls StarPU while it holds a mutex needs this class instead of
/// std::mutex. A thread that waits for such a thread also needs it. In a simulation all threads
/// share one thread of the system, so they must wait through StarPU.
class Mutex {
 public:
  Mutex() { starpu_pthread_mutex_init(&mutex_, nullptr); }
  ~Mutex() { starpu_pthread_mutex_destroy(&mutex_); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() { starpu_pthread_mutex_lock(&mutex_); }
  void unlock() { starpu_pthread_mutex_unlock(&mutex_); }

 private:
  friend class Condition;
  starpu_pthread_mutex_t mutex_;
};

/// A condition variable of StarPU, for a Mutex that the caller holds.
class Condition {
 public:
  Condition() { starpu_pthread_cond_init(&condition_, nullptr); }
  ~Condition() { starpu_pthread_cond_destroy(&condition_); }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void wait(Mutex& mutex) { starpu_pthread_cond_wait(&condition_, &mutex.mutex_); }
  void notify_all() { starpu_pthread_cond_broadcast(&condition_); }

 private:
  starpu_pthread_cond_t condition_;
};

}  // namespace espalier::internal
