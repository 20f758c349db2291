// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/error.hpp"

namespace espalier::internal {

/// Keeps a message for last_failure(), shortened to its memory, and returns the code as a number.
int note_failure(ErrorCode code, const char* message) noexcept;

/// Does the same for the exception that is being handled.
int note_exception() noexcept;

/// Returns the message that this thread kept last.
const char* last_failure() noexcept;

/// Returns what `work` returns, or the code of what it throws.
template <class Work>
int guarded(Work work) noexcept {
  try {
    return work();
  } catch (...) {
    return note_exception();
  }
}

}  // namespace espalier::internal
