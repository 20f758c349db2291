// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace espalier::internal {

/// Error codes of PARDISO that Espalier returns.
enum class PardisoError : int {
  none = 0,
  input = -1,       ///< An argument is wrong, or a feature is not supported.
  memory = -2,      ///< There is not enough memory.
  reordering = -3,  ///< The caller's permutation is not a permutation.
  zero_pivot = -4,  ///< A pivot failed, or the solution is not finite.
  internal = -5,    ///< The runtime system failed.
  overflow = -8,    ///< A number does not fit into 32 bits.
};

/// An error that has a code of PARDISO, but no type in espalier/error.hpp.
class PardisoFailure : public std::runtime_error {
 public:
  PardisoFailure(PardisoError error, const std::string& message)
      : std::runtime_error(message), error_(error) {}
  PardisoError error() const noexcept { return error_; }

 private:
  PardisoError error_;
};

/// Returns the code of the exception that is being handled. Prints its message to standard error if
/// `verbose` is true, or if it is the first message about wrong arguments in this process.
PardisoError report_exception(bool verbose) noexcept;

/// Calls `work` and returns 0, or the code of the exception that it throws.
template <class Work>
int guarded(bool verbose, Work work) noexcept {
  try {
    work();
    return static_cast<int>(PardisoError::none);
  } catch (...) {
    return static_cast<int>(report_exception(verbose));
  }
}

}  // namespace espalier::internal
