// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/options.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// Returns the format that the first lines of a file show: a Matrix Market banner, or a
/// Harwell-Boeing or Rutherford-Boeing header (line counts on line 2, a type such as RSA on line
/// 3). Returns FileFormat::automatic if they show neither. Call it before reading any line.
FileFormat recognized_format(const TextSource& source);

/// Throws InputError if the first bytes show that the file is not ASCII or UTF-8 text: UTF-16,
/// lines that end with CR alone, an archive, a compressed file other than gzip, a MATLAB, HDF5 or
/// NumPy file, or a web page. The message names the format and how to convert it. Call it before
/// reading any line.
void expect_lines_of_text(const TextSource& source);

}  // namespace espalier::internal
