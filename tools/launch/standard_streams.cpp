// SPDX-License-Identifier: BSD-3-Clause
#include "launch/standard_streams.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "espalier/error.hpp"

namespace espalier::internal {

// Uses system calls directly, because a preloaded library may replace the C functions and is not
// initialized yet.

void occupy_closed_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (syscall(SYS_fcntl, stream, F_GETFD) >= 0) continue;
    // Gets the lowest free number, which is this stream.
    syscall(SYS_openat, AT_FDCWD, "/", O_PATH);
  }
}

bool is_output_closed() noexcept {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  return flags < 0 || (flags & O_PATH) != 0;
}

void flush_standard_output() {
  // A part of the output may have been flushed earlier.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw RuntimeFailure("standard output cannot be written to");
}

}  // namespace espalier::internal
