// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "espalier/export.hpp"

namespace espalier {

/// What went wrong, as the exit code of the program (0 is "solved").
enum class ErrorCode : int {
  inaccurate = 1,
  usage = 2,
  input = 3,
  not_positive_definite = 4,
  memory = 5,
  scheduler = 6,
  device = 7,
};

/// Base of every exception that the library throws. The message is one sentence: what, where, what
/// to do.
class ESPALIER_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// A computed solution whose backward error is above the accepted bound.
struct ESPALIER_EXPORT InaccurateSolution : Error {
  explicit InaccurateSolution(const std::string& message) : Error(ErrorCode::inaccurate, message) {}
};

/// An argument, an option or a call that the contract of a function does not allow.
struct ESPALIER_EXPORT UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ErrorCode::usage, message) {}
};

/// A file or an array whose content is not a matrix, a permutation or a right-hand side.
struct ESPALIER_EXPORT InputError : Error {
  explicit InputError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// More memory is needed than is allowed or available.
struct ESPALIER_EXPORT MemoryError : Error {
  explicit MemoryError(const std::string& message) : Error(ErrorCode::memory, message) {}
};

/// The scheduling policy asked for is not known to StarPU; the message lists those that are.
struct ESPALIER_EXPORT UnknownScheduler : Error {
  explicit UnknownScheduler(const std::string& message) : Error(ErrorCode::scheduler, message) {}
};

/// The runtime system, a rank or a device failed.
struct ESPALIER_EXPORT RuntimeFailure : Error {
  explicit RuntimeFailure(const std::string& message) : Error(ErrorCode::device, message) {}
};

}  // namespace espalier
