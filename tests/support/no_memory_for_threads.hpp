// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>

#include <cstddef>

namespace espalier::internal::support {

/// While it lives, threads of this process request stacks that no address space can hold.
class NoMemoryForThreads {
 public:
  NoMemoryForThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoMemoryForThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoMemoryForThreads(const NoMemoryForThreads&) = delete;
  NoMemoryForThreads& operator=(const NoMemoryForThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace espalier::internal::support
