// SPDX-License-Identifier: BSD-3-Clause
#include "base/caught_error.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace espalier::internal {
namespace {

template <typename Thrown>
CaughtError caught(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return current_error();
  }
}

TEST(CaughtError, HasTheCodeAndTheMessageInOneLine) {
  const CaughtError error = caught(InputError("a\nb"));
  EXPECT_EQ(error.code, ErrorCode::input);
  EXPECT_EQ(error.message, "a?b");
}

TEST(CaughtError, OfTheStandardLibraryIsAboutMemoryOrUnexpected) {
  EXPECT_EQ(caught(std::bad_alloc()).code, ErrorCode::memory);
  EXPECT_EQ(caught(std::length_error("x")).code, ErrorCode::memory);
  const auto no_memory = std::make_error_code(std::errc::not_enough_memory);
  EXPECT_EQ(caught(std::system_error(no_memory)).code, ErrorCode::memory);
  const auto denied = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(caught(std::system_error(denied)).code, ErrorCode::device);
  EXPECT_EQ(caught(std::logic_error("x")).message, "an unexpected error, please report it: x");
}

/// Prevents further memory mappings of this process while the object lives, as `ulimit -v` does.
class NoMoreMemory {
 public:
  NoMoreMemory() {
    getrlimit(RLIMIT_AS, &usual_);
    const rlimit none{0, usual_.rlim_max};
    setrlimit(RLIMIT_AS, &none);
  }
  ~NoMoreMemory() { setrlimit(RLIMIT_AS, &usual_); }
  NoMoreMemory(const NoMoreMemory&) = delete;
  NoMoreMemory& operator=(const NoMoreMemory&) = delete;

 private:
  rlimit usual_{};
};

TEST(CaughtError, OfAThreadThatDoesNotStartIsAboutMemoryOrTheLimitOnThreads) {
  const auto no_thread = std::make_error_code(std::errc::resource_unavailable_try_again);
  const CaughtError limited = caught(std::system_error(no_thread));
  EXPECT_EQ(limited.code, ErrorCode::device);
  EXPECT_NE(limited.message.find("ulimit -u"), std::string::npos) << limited.message;
  const NoMoreMemory none;
  EXPECT_EQ(caught(std::system_error(no_thread)).code, ErrorCode::memory);
}

TEST(ThrowError, ThrowsWhatTheCodeStandsFor) {
  EXPECT_THROW(throw_error({ErrorCode::inaccurate, "x"}), InaccurateSolution);
  EXPECT_THROW(throw_error({ErrorCode::usage, "x"}), UsageError);
  EXPECT_THROW(throw_error({ErrorCode::input, "x"}), InputError);
  EXPECT_THROW(throw_error({ErrorCode::memory, "x"}), MemoryError);
  EXPECT_THROW(throw_error({ErrorCode::scheduler, "x"}), UnknownScheduler);
  EXPECT_THROW(throw_error({ErrorCode::device, "x"}), RuntimeFailure);
  try {
    throw_error({ErrorCode::not_positive_definite, "x"});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_positive_definite);
  }
}

}  // namespace
}  // namespace espalier::internal
