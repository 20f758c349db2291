// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "espalier/export.hpp"

/// \file
/// This header has the exceptions that the library throws.

namespace espalier {

/// An ErrorCode says what went wrong; its value is the exit code of the program, where 0 is
/// "solved".
enum class ErrorCode : int {
  inaccurate = 1,             ///< The backward error of a solution is above the accepted bound.
  usage = 2,                  ///< An argument, an option or a call is not allowed.
  input = 3,                  ///< A file or an array does not hold what it should.
  not_positive_definite = 4,  ///< The matrix is not positive definite; no exception has this code.
  memory = 5,                 ///< More memory is needed than is allowed or available.
  scheduler = 6,              ///< StarPU does not know the scheduling policy.
  device = 7,                 ///< The runtime system, a rank, a device or an output file failed.
};

/// Error is the base of every exception that the library throws. Its message is one sentence that
/// says what happened, where, and what to do.
class ESPALIER_EXPORT Error : public std::runtime_error {
 public:
  /// Makes an error with this code and message.
  // NOLINTNEXTLINE(misc-unused-parameters): a false alarm
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// Returns what went wrong.
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// A computed solution has a backward error above the accepted bound. The library itself returns
/// the error with the solution and leaves the judgement, and this exception, to its caller.
struct ESPALIER_EXPORT InaccurateSolution : Error {
  /// Makes an error with ErrorCode::inaccurate.
  explicit InaccurateSolution(const std::string& message) : Error(ErrorCode::inaccurate, message) {}
};

/// The contract of a function does not allow an argument, an option or a call.
struct ESPALIER_EXPORT UsageError : Error {
  /// Makes an error with ErrorCode::usage.
  explicit UsageError(const std::string& message) : Error(ErrorCode::usage, message) {}
};

/// The content of a file or an array is not a matrix, a permutation or a right-hand side.
struct ESPALIER_EXPORT InputError : Error {
  /// Makes an error with ErrorCode::input.
  explicit InputError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// A factorization needs more memory than is allowed or available.
struct ESPALIER_EXPORT MemoryError : Error {
  /// Makes an error with ErrorCode::memory.
  explicit MemoryError(const std::string& message) : Error(ErrorCode::memory, message) {}
};

/// StarPU does not know the scheduling policy that was asked for; the message lists those that it
/// knows.
struct ESPALIER_EXPORT UnknownScheduler : Error {
  /// Makes an error with ErrorCode::scheduler.
  explicit UnknownScheduler(const std::string& message) : Error(ErrorCode::scheduler, message) {}
};

/// The runtime system, a rank or a device failed, or a file could not be written.
struct ESPALIER_EXPORT RuntimeFailure : Error {
  /// Makes an error with ErrorCode::device.
  explicit RuntimeFailure(const std::string& message) : Error(ErrorCode::device, message) {}
};

}  // namespace espalier
