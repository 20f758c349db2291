// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix/load.hpp"
#include "matrix/text_source.hpp"

namespace espalier::internal {

/// Reads a Harwell-Boeing or Rutherford-Boeing file (Duff, Grimes, Lewis, "Sparse matrix test
/// problems", ACM TOMS 15, 1989; "The Rutherford-Boeing sparse matrix collection", 1997): assembled
/// matrices with real or integer values or none, symmetric (xSA), or unsymmetric by their type but
/// symmetric in fact (xUA). Right-hand sides in the file are passed over. With pattern_only,
/// missing diagonal entries are added. Throws InputError for other types, and with the line where
/// the file is not that, or its header counts other lines of a part than there are.
SparseMatrix read_harwell_boeing(TextSource& source, Values values, InputNotes& notes);

}  // namespace espalier::internal
