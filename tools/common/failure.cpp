// SPDX-License-Identifier: BSD-3-Clause
#include "common/failure.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>

namespace espalier {

namespace {

/// File names may hold anything; a message is one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

Failure out_of_memory() {
  return {ErrorCode::memory,
          "memory ran out; choose another ordering, fewer right-hand sides or a larger machine"};
}

}  // namespace

NotPositiveDefinite::NotPositiveDefinite(const std::string& matrix, Index column_from_0)
    : Error(ErrorCode::not_positive_definite,
            "the matrix " + matrix + " is not positive definite: the pivot of column " +
                std::to_string(column_from_0 + 1) +
                " (counted from 1, as in the file) is not positive; check the matrix, or use a "
                "solver for indefinite ones"),
      column(column_from_0 + 1) {}

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), one_line(error.what())};
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) return out_of_memory();
    return {ErrorCode::device, one_line(error.what())};
  } catch (const std::exception& error) {
    return {ErrorCode::device, "an unexpected error, please report it: " + one_line(error.what())};
  }
}

}  // namespace espalier
