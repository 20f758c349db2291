// SPDX-License-Identifier: BSD-3-Clause

// tools/dev/coverage.sh links this file with each program. A process writes its coverage counts
// when it returns from main() or calls exit(). If it, or MPI, calls _exit(), the counts would be
// lost, so this file writes them first.

#include <sys/syscall.h>
#include <unistd.h>

// NOLINTBEGIN(bugprone-reserved-identifier): the names of the compiler's and of the C library's
// functions

extern "C" void __gcov_dump();

/// Replaces _exit() of the C library, for the program and for all libraries that it loads.
extern "C" [[noreturn]] void _exit(int status) {
  __gcov_dump();
  while (true) syscall(SYS_exit_group, status);
}

// NOLINTEND(bugprone-reserved-identifier)
