// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/c/failure.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <new>

namespace espalier::internal {

namespace {

/// A fixed array, because the failure may be a lack of memory.
std::array<char, 2048>& kept_message() {
  thread_local std::array<char, 2048> message{};
  return message;
}

}  // namespace

int note_failure(ErrorCode code, const char* message) noexcept {
  auto& kept = kept_message();
  std::strncpy(kept.data(), message, kept.size() - 1);
  return static_cast<int>(code);
}

int note_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return note_failure(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return note_failure(ErrorCode::memory, "an allocation failed: there is no memory left");
  } catch (const std::exception& error) {
    return note_failure(ErrorCode::device, error.what());
  } catch (...) {
    return note_failure(ErrorCode::device, "an exception of unknown type was thrown");
  }
}

const char* last_failure() noexcept { return kept_message().data(); }

}  // namespace espalier::internal
