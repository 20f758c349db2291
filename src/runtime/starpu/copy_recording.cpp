// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/copy_recording.hpp"

#include <starpu.h>
#include <starpu_profiling.h>

#include <mutex>

#include "base/clock.hpp"

namespace espalier::internal {

namespace {

/// All active recordings. The lock also protects their copies.
struct Recordings {
  std::mutex mutex;
  std::vector<CopyRecording*> active;
};

Recordings& recordings() {
  static Recordings all;
  return all;
}

/// Returns 0 for the memory of the host; devices count from 1.
Index device_of(unsigned memory) {
  if (starpu_node_get_kind(memory) == STARPU_CPU_RAM) return 0;
  Index devices = 1;
  for (unsigned node = 0; node < memory; ++node) {
    if (starpu_node_get_kind(node) != STARPU_CPU_RAM) ++devices;
  }
  return devices;
}

using Observer = void (*)(unsigned, unsigned, std::size_t, double, double);

#ifdef STARPU_HAVE_COPY_OBSERVER
void observe(Observer observer) { starpu_profiling_set_copy_observer(observer); }
#else
void observe(Observer /*observer*/) {}
#endif

}  // namespace

void CopyRecording::start() {
  stop();
  const std::lock_guard lock(recordings().mutex);
  copies_.clear();
  recordings().active.push_back(this);
  observe(note);
}

void CopyRecording::stop() {
  const std::lock_guard lock(recordings().mutex);
  std::erase(recordings().active, this);
  if (recordings().active.empty()) observe(nullptr);
}

std::vector<CopyRun> CopyRecording::copies() const {
  const std::lock_guard lock(recordings().mutex);
  return copies_;
}

void CopyRecording::note(unsigned from, unsigned to, std::size_t bytes, double begin,
                         double end) noexcept {
  CopyRun copy;
  copy.from = device_of(from);
  copy.to = device_of(to);
  copy.bytes = static_cast<Count>(bytes);
  copy.end = steady_seconds();
  copy.begin = copy.end - 1e-6 * (end - begin);
  const std::lock_guard lock(recordings().mutex);
  for (CopyRecording* const recording : recordings().active) recording->copies_.push_back(copy);
}

}  // namespace espalier::internal
