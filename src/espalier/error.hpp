// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "espalier/export.hpp"

/// \file
/// The exceptions of the library.

namespace espalier {

/// Kind of an error. Its value is the exit code of the program `espalier`, whose exit code 0 means
/// success.
enum class ErrorCode : int {
  inaccurate = 1,  ///< The backward error of a solution is above the accepted bound.
  usage = 2,       ///< An argument, an option or a call is not allowed.
  input = 3,       ///< The content of a file or an array is not valid.
  /// The matrix is not positive definite, or a pivot does not have the given sign; no exception has
  /// this code.
  not_positive_definite = 4,
  memory = 5,     ///< The memory limit or the free memory is too small.
  scheduler = 6,  ///< StarPU does not know the scheduling policy.
  device = 7,     ///< The runtime system, a rank, a device or an output file failed.
};

/// Base of all exceptions of the library. The message is one sentence; it states the problem, its
/// place and the remedy.
class ESPALIER_EXPORT Error : public std::runtime_error {
 public:
  /// Makes an error with this code and message.
  // NOLINTNEXTLINE(misc-unused-parameters): a false alarm
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// Returns the kind of the error.
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// The backward error of a solution is above the accepted bound. The functions of Factor do not
/// throw it: they return the backward error, and the caller decides.
struct ESPALIER_EXPORT InaccurateSolution : Error {
  /// Makes an error with ErrorCode::inaccurate.
  explicit InaccurateSolution(const std::string& message) : Error(ErrorCode::inaccurate, message) {}
};

/// An argument, an option or a call violates the contract of a function.
struct ESPALIER_EXPORT UsageError : Error {
  /// Makes an error with ErrorCode::usage.
  explicit UsageError(const std::string& message) : Error(ErrorCode::usage, message) {}
};

/// A file or an array does not hold a valid matrix, permutation or right-hand side.
struct ESPALIER_EXPORT InputError : Error {
  /// Makes an error with ErrorCode::input.
  explicit InputError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// A factorization or a solve needs more memory than the limit allows or the machine has free.
struct ESPALIER_EXPORT MemoryError : Error {
  /// Makes an error with ErrorCode::memory.
  explicit MemoryError(const std::string& message) : Error(ErrorCode::memory, message) {}
};

/// StarPU does not know the requested scheduling policy. The message lists the known policies.
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
