// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/failure.hpp"

#include <atomic>
#include <exception>
#include <new>

#include "bindings/pardiso/messages.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

PardisoError error_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::input: return PardisoError::input;
    case ErrorCode::memory: return PardisoError::memory;
    case ErrorCode::inaccurate:
    case ErrorCode::not_positive_definite: return PardisoError::zero_pivot;
    default: return PardisoError::internal;
  }
}

PardisoError say(PardisoError error, const char* message, bool verbose) noexcept {
  static std::atomic<bool> has_spoken{false};
  const bool is_first = error == PardisoError::input && !has_spoken.exchange(true);
  if (verbose || is_first) print_failure(static_cast<int>(error), message);
  return error;
}

}  // namespace

PardisoError report_exception(bool verbose) noexcept {
  try {
    throw;
  } catch (const PardisoFailure& failure) {
    return say(failure.error(), failure.what(), verbose);
  } catch (const Error& error) {
    return say(error_of(error.code()), error.what(), verbose);
  } catch (const std::bad_alloc&) {
    return say(PardisoError::memory, "an allocation failed: there is no memory left", verbose);
  } catch (const std::exception& error) {
    return say(PardisoError::internal, error.what(), verbose);
  } catch (...) {
    return say(PardisoError::internal, "an exception of unknown type was thrown", verbose);
  }
}

}  // namespace espalier::internal
