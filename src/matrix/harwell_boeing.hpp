// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix/load.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// Reads a Harwell-Boeing or Rutherford-Boeing file (Duff, Grimes, Lewis, "Sparse matrix test
/// problems", ACM TOMS 15, 1989; "The Rutherford-Boeing sparse matrix collection", 1997). The
/// matrix must be assembled, with real values, integer values or none. It must be symmetric by type
/// (xSA), or unsymmetric by type but symmetric in fact (xUA). Right-hand sides in the file are
/// skipped. With pattern_only, missing diagonal entries are added.
///
/// Throws InputError for other types. Throws InputError with the line number if the file is
/// damaged, or if the line counts in its header are wrong.
SparseMatrix read_harwell_boeing(TextSource& source, Values values, InputNotes& notes);

}  // namespace espalier::internal
