// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/entries.hpp"
#include "mapping/local_structure.hpp"
#include "runtime/mpi/communicator.hpp"
#include "solver/scaled_matrix.hpp"

namespace espalier::internal {

/// Computes S and the values of S A S as ScaledMatrix::scale() does, with the same bits, for the
/// entries of this rank. Rows have local numbers. `scaled` must have as many values as this rank.
/// Collective.
void scale_on_ranks(const Communicator& comm, const LocalStructure& structure,
                    const PanelEntries& entries, std::span<const double> values,
                    ScaledMatrix& scaled);

}  // namespace espalier::internal
