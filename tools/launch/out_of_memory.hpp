// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Ends the program as a std::bad_alloc that reaches main() does, with one line and the code of
/// ErrorCode::memory, but needs no memory for it.
[[noreturn]] void end_without_memory() noexcept;

/// Has the program end by end_without_memory() where memory runs out and no exception can say so:
/// before main(), in a function that may not throw, as some destructors of nlohmann_json that
/// allocate, in a callback of StarPU, or because there is none left for the exception itself. What
/// else ends in std::terminate() does so as before. It is called before all other initialisers of
/// the program.
void expect_to_run_out_of_memory() noexcept;

}  // namespace espalier::internal
