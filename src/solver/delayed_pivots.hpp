// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/factor_data.hpp"

namespace espalier::internal {

/// Repeats a successful factorization that chose its pivots, if some of them are too small: if they
/// were replaced, or if their columns have too large entries of L below the diagonal block. First
/// moves these columns to the end of panels above theirs, whose blocks have more pivots to choose
/// from, and analyzes and plans again. Each repetition moves columns twice as far as the one
/// before, until there is nothing to move. The new order stays for later factorizations. If it
/// needs more memory than there is, or many more operations, the factor stays as it is. Waits for
/// all tasks.
void delay_pivots(FactorData& data);

}  // namespace espalier::internal
