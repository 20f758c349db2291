// SPDX-License-Identifier: BSD-3-Clause

// Settings that the sanitizers read from test programs. Nothing else calls these functions.

// NOLINTBEGIN(bugprone-reserved-identifier): the sanitizers' names

/// An allocation can fail, as with the system's allocator, instead of ending the program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

/// StarPU does not free the lists of tasks that its dmda and random policies keep for each worker.
extern "C" const char* __lsan_default_suppressions() { return "leak:_starpu_push_local_task\n"; }

// NOLINTEND(bugprone-reserved-identifier)
