// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/open_mpi_yield.hpp"

#include <mutex>

extern "C" {
/// Function of Open MPI: sets whether a poll without an event yields the core. Returns the previous
/// setting.
// NOLINTNEXTLINE(readability-identifier-naming)
bool opal_progress_set_yield_when_idle(bool yields) __attribute__((weak));
}

namespace espalier::internal {

namespace {

std::mutex mutex;
int objects = 0;
bool yielded = false;  ///< the setting before the first object

}  // namespace

WithoutYield::WithoutYield() {
  if (opal_progress_set_yield_when_idle == nullptr) return;
  const std::lock_guard lock(mutex);
  if (++objects == 1) yielded = opal_progress_set_yield_when_idle(false);
}

WithoutYield::~WithoutYield() {
  if (opal_progress_set_yield_when_idle == nullptr) return;
  const std::lock_guard lock(mutex);
  if (--objects == 0) opal_progress_set_yield_when_idle(yielded);
}

}  // namespace espalier::internal
