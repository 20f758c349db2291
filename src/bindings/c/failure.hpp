// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/error.hpp"

namespace espalier::internal {

/// Stores a message for last_failure(), cut to the size of the buffer, and returns the code as a
/// number.
int note_failure(ErrorCode code, const char* message) noexcept;

/// Stores the message of the exception that is being handled, and returns its code.
int note_exception() noexcept;

/// Returns the last message that this thread stored.
const char* last_failure() noexcept;

/// Returns the result of `work`, or the code of the exception that it throws.
template <class Work>
int guarded(Work work) noexcept {
  try {
    return work();
  } catch (...) {
    return note_exception();
  }
}

}  // namespace espalier::internal
