// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuda/stand_in/devices.hpp"
#include "cuda/stand_in/misuse.hpp"

namespace stand_in {

/// A call of a function of CUDA by the program, while it lasts.
struct Call {
  explicit Call(const char* function)
      : doing({function, current_device()}), error(begin_call(function)) {}

  Doing doing;
  const cudaError_t error;  ///< why it fails, if it does
};

}  // namespace stand_in
