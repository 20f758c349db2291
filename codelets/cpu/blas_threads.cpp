// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas_threads.hpp"

#include <mutex>

extern "C" {
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
char* openblas_get_config(void);
}

namespace espalier {

namespace {

struct Users {
  std::mutex mutex;
  int count = 0;
  int threads_before = 1;
};

Users& users() {
  static Users object;
  return object;
}

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  Users& all = users();
  const std::lock_guard lock(all.mutex);
  if (all.count++ > 0) return;
  all.threads_before = openblas_get_num_threads();
  if (all.threads_before != 1) openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  Users& all = users();
  const std::lock_guard lock(all.mutex);
  if (--all.count == 0 && all.threads_before != 1) openblas_set_num_threads(all.threads_before);
}

std::string blas_description() { return openblas_get_config(); }

}  // namespace espalier
