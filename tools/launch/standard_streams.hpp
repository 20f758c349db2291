// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Opens a file that can be neither read nor written for each closed standard stream. Otherwise the
/// next opened file would get the stream's number, and printed text would go into that file. The
/// loader must run it before the constructors of libraries, because these open files.
void occupy_closed_streams() noexcept;

/// Returns whether standard output was closed when the program started.
bool is_output_closed() noexcept;

/// Throws RuntimeFailure if some printed text could not be written to standard output.
void flush_standard_output();

}  // namespace espalier::internal
