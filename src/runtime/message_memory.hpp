// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include "base/memory_pool.hpp"

namespace espalier {

/// Memory for data that come and go, as messages and contributions do: to StarPU their place is in
/// main memory all the time, but only from lend() to take_back() is there any. Each factorization
/// takes and gives back the same again; from the system, its pages cost elasticity3d:20x20x20 on
/// two ranks an eighth of the time.
class MessageMemory {
 public:
  /// Has so many bytes at hand from now on. Throws MemoryError.
  void reserve(Count bytes);
  /// To data without memory (see Handles), by who has acquired them to write. False where there are
  /// gaps alone, none as large, and the system refuses more.
  [[nodiscard]] bool lend(starpu_data_handle_t data);
  /// By who has acquired the data to write, so that nobody else uses them.
  void take_back(starpu_data_handle_t data);

 private:
  MemoryPool pool_;
};

}  // namespace espalier
