// SPDX-License-Identifier: BSD-3-Clause
#include "launch/standard_streams.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "espalier/error.hpp"

namespace espalier::internal {

// A library that is preloaded may have functions of these names, and is not ready yet: so the
// system is called.

void occupy_closed_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (syscall(SYS_fcntl, stream, F_GETFD) >= 0) continue;
    syscall(SYS_openat, AT_FDCWD, "/", O_PATH);  // which gets the lowest number that is free
  }
}

bool is_output_closed() noexcept {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  return flags < 0 || (flags & O_PATH) != 0;
}

void flush_standard_output() {
  // Some of the output may have been flushed before.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw RuntimeFailure("standard output cannot be written to");
}

}  // namespace espalier::internal
