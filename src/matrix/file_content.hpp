// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/options.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// Returns the format of a file by its first lines: a banner of Matrix Market, or a Harwell-Boeing
/// or Rutherford-Boeing header (line counts on line 2, a type such as RSA on line 3). Returns
/// FileFormat::automatic if they show neither. Call it before any line is taken.
FileFormat recognized_format(const TextSource& source);

/// Throws InputError if the first bytes show something other than lines of text in ASCII or UTF-8:
/// UTF-16, lines that end with CR alone, an archive, a compressed file other than gzip, a file of
/// MATLAB, HDF5 or NumPy, or a web page. The message names it and how to convert it. Call it before
/// any line is taken.
void expect_lines_of_text(const TextSource& source);

}  // namespace espalier::internal
