// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "espalier/error.hpp"

namespace espalier::internal {

/// Message of an exception, in one line, and its exit code.
struct CaughtError {
  ErrorCode code = ErrorCode::device;
  std::string message;
};

/// Message for exceptions that have no useful text, such as std::bad_alloc.
inline constexpr std::string_view out_of_memory_message =
    "memory ran out; choose another ordering, fewer right-hand sides or a larger machine";

/// Describes the exception that is currently handled. Its type must be derived from std::exception;
/// other exceptions pass through.
CaughtError current_error();

/// Throws the exception of error.hpp that has this code.
[[noreturn]] void throw_error(const CaughtError& error);

}  // namespace espalier::internal
