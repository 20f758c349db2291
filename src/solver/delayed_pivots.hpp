// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/factor_data.hpp"

namespace espalier::internal {

/// Repeats a successful factorization that chose its pivots, if it is not accurate enough: if some
/// pivots were replaced or have large entries of L below their diagonal block, and the backward
/// error of a solution is above 1e-12. First moves the columns of these pivots to the end of panels
/// above theirs, whose blocks have more pivots to choose from, and analyzes and plans again. Each
/// repetition moves columns four times as far as the one before, as long as that reduces the error.
/// The new order stays for later factorizations. If it needs more memory than there is, or many
/// more operations, the factor stays as it is. Returns whether it repeated the factorization, which
/// may then have failed. Waits for all tasks.
bool delay_pivots(FactorData& data);

}  // namespace espalier::internal
