// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/types.hpp"

namespace espalier {

/// A number of bytes for people: "512 B", "1.5 KiB", "3.2 GiB".
std::string readable_bytes(Count bytes);

/// Bytes from text: "1500000", "500M", "2.5G", "8GiB" (powers of 1024). Throws UsageError.
Count parse_bytes(const std::string& text);

/// The largest resident set of this process so far, in bytes.
Count peak_resident_bytes();

/// Gives memory that was freed back to the system, where the C library can.
void return_freed_memory();

}  // namespace espalier
