// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Ends the program with one line and the code of ErrorCode::memory, as for a std::bad_alloc that
/// reaches main(). Needs no memory.
[[noreturn]] void end_without_memory() noexcept;

/// Makes the program end by end_without_memory() if memory runs out where no exception can report
/// it: before main(), in a function that may not throw (some destructors of nlohmann_json
/// allocate), in a callback of StarPU, or if the exception itself cannot be allocated. Other calls
/// of std::terminate() end as before.
///
/// The same applies to exit() before begin_main(): if memory runs out, libgfortran calls it with a
/// code that is not one of Espalier's. Must be called before the constructors of all libraries.
void expect_to_run_out_of_memory() noexcept;

/// Declares that later calls of exit() come from the program itself, not from a library.
void begin_main() noexcept;

}  // namespace espalier::internal
