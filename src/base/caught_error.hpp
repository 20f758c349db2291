// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "espalier/error.hpp"

namespace espalier::internal {

/// What an exception says, in one line, and the exit code that it stands for.
struct CaughtError {
  ErrorCode code = ErrorCode::device;
  std::string message;
};

/// What is said where the exception itself says nothing.
inline constexpr std::string_view out_of_memory_message =
    "memory ran out; choose another ordering, fewer right-hand sides or a larger machine";

/// Describes the exception that is being handled, one of error.hpp or not.
CaughtError current_error();

/// Throws the exception of error.hpp that the code stands for.
[[noreturn]] void throw_error(const CaughtError& error);

}  // namespace espalier::internal
