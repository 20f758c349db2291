// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Ends the program as a std::bad_alloc that reaches main() does, with one line and the code of
/// ErrorCode::memory, but needs no memory for it.
[[noreturn]] void end_without_memory() noexcept;

/// Has the program end by end_without_memory() where memory runs out and no exception can say so:
/// before main(), in a function that may not throw, as some destructors of nlohmann_json that
/// allocate, in a callback of StarPU, or because there is none left for the exception itself. What
/// else ends in std::terminate() does so as before. So ends also what calls exit() before
/// begin_main(), as libgfortran does without memory, with a code that is none of ours. It is called
/// before the constructors of all libraries.
void expect_to_run_out_of_memory() noexcept;

/// From here on exit() is the program's own.
void begin_main() noexcept;

}  // namespace espalier::internal
