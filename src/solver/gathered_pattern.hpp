// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "matrix/matrix_part.hpp"
#include "runtime/communicator.hpp"

namespace espalier {

/// The pattern of a matrix of which each rank has a part.
struct GatheredPattern {
  LowerPattern pattern;
  std::vector<Index> rank;  ///< that has the entry on the diagonal of each column
};

/// On the root; that of the others is empty. Entries of a part keep their order. Throws InputError
/// on all ranks where sizes differ, where a column or an entry is in two parts, or where an entry
/// of the diagonal is in none; `file` is that of the whole, empty where the parts had none.
/// Collective. Memory of the root: 8 bytes an entry and 16 a column.
GatheredPattern gather_pattern(const Communicator& comm, const MatrixPart& part,
                               const std::string& file);

}  // namespace espalier
