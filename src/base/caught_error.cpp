// SPDX-License-Identifier: BSD-3-Clause
#include "base/caught_error.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/printable.hpp"

namespace espalier::internal {

namespace {

CaughtError out_of_memory() { return {ErrorCode::memory, std::string(out_of_memory_message)}; }

/// Returns whether the process can map the stack of a thread. If a thread cannot start, the system
/// reports the same error for two causes: no memory for the stack, and too many threads of the
/// user. The result of this function tells the causes apart.
bool has_memory_for_a_thread() {
  constexpr std::size_t stack = std::size_t{8} << 20;
  void* const mapped = mmap(nullptr, stack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  munmap(mapped, stack);
  return true;
}

CaughtError of_the_system(const std::system_error& error) {
  if (error.code() == std::errc::not_enough_memory) return out_of_memory();
  if (error.code() != std::errc::resource_unavailable_try_again) {
    return {ErrorCode::device, message_line(error.what())};
  }
  if (!has_memory_for_a_thread()) return out_of_memory();
  return {ErrorCode::device,
          "no more threads can be started; raise the user's limit on them (ulimit -u)"};
}

}  // namespace

CaughtError current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), message_line(error.what())};
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  } catch (const std::system_error& error) {
    return of_the_system(error);
  } catch (const std::exception& error) {
    return {ErrorCode::device,
            message_line(std::string("an unexpected error, please report it: ") + error.what())};
  }
}

void throw_error(const CaughtError& error) {
  switch (error.code) {
    case ErrorCode::inaccurate: throw InaccurateSolution(error.message);
    case ErrorCode::usage: throw UsageError(error.message);
    case ErrorCode::input: throw InputError(error.message);
    case ErrorCode::memory: throw MemoryError(error.message);
    case ErrorCode::scheduler: throw UnknownScheduler(error.message);
    case ErrorCode::device: throw RuntimeFailure(error.message);
    case ErrorCode::not_positive_definite: break;  // the library has no exception for it
  }
  throw Error(error.code, error.message);
}

}  // namespace espalier::internal
