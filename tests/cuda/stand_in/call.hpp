// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuda/stand_in/devices.hpp"
#include "cuda/stand_in/misuse.hpp"

namespace stand_in {

/// A call of a CUDA function by the program.
struct Call {
  explicit Call(const char* function)
      : doing({function, current_device()}), error(begin_call(function)) {}

  Doing doing;
  const cudaError_t error;  ///< why the call fails, or cudaSuccess
};

}  // namespace stand_in
