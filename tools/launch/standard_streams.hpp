// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Opens something that can be neither read nor written for each of the standard streams that is
/// closed. Otherwise the next file would get the stream's number, and what is printed would go into
/// that file. Goes where the loader runs it before the constructors of libraries, which open files.
void occupy_closed_streams() noexcept;

/// Returns whether standard output was closed when the program started.
bool is_output_closed() noexcept;

/// Throws RuntimeFailure if not all that was printed could be written to standard output.
void flush_standard_output();

}  // namespace espalier::internal
