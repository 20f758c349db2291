// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/mpi.hpp"
#include "espalier/starpu.hpp"

/// \file
/// Factorizations and solves on StarPU's data handles, for applications that run StarPU on several
/// ranks.
///
/// Each rank has handles with its part of A's values, of b and of x. Tasks of the application write
/// and read them, as in espalier/starpu.hpp. A whole time loop can be submitted without a wait for
/// tasks. The functions below need a factor on Ranks::inside_application(). All ranks must call
/// the functions marked as collective, in the same order.
///
/// The hosts of the ranks wait for each other in each collective call, because they agree on its
/// errors. Only wait() waits for tasks, and submit_factorize() if its matrix is not that of the
/// previous call.
///
/// After each factorization, the ranks agree on its result in tasks. Each rank except rank 0 sends
/// and receives one message for this. So
/// if a factorization fails, the solves that were submitted for it store NaN in x on all ranks, and
/// the next factorization runs normally.

namespace espalier {

/// Returns the rows of the vectors of this rank, counted from 0. The parts of b and x in handles
/// have one entry for each of them, in this order. Each row is on exactly one rank. A rank with
/// little work may have no rows. The rows change if DistributedFactor::factorize() orders the
/// matrix again.
ESPALIER_EXPORT std::vector<Index> rows_of_rank(const DistributedFactor& factor);

/// Submits a factorization with values in handles. Tasks copy the values and send them to the ranks
/// that need them, so that later tasks may change them. Throws UsageError if the factor does not
/// use Ranks::inside_application(), if its factorization is not Factorization::llt, if the pattern
/// of the matrix was not analyzed, or if the handle of a rank is wrong as in submit_factorize() of
/// one process. The handles must live until the
/// tasks have run. A call with another matrix than the previous call also exchanges the pattern.
/// Cost: at most one message from each rank to each other rank, besides the factorization.
/// Collective.
///
/// \param factor Factor of the pattern of A.
/// \param matrix Gives the pattern of each rank's values. Its own values are not used.
/// \param values StarPU vector of doubles: the values of this rank's entries in the order of the
///     arrays given to DistributedMatrix, or by column and row of the lower triangle if it was
///     read from files. Entries that were given several times are summed. May be null if the rank
///     has no entries.
ESPALIER_EXPORT void submit_factorize(DistributedFactor& factor, const DistributedMatrix& matrix,
                                      DataHandle values);

/// Submits a solve of A X = B, without refinement, with the last submitted factorization. Throws
/// UsageError before the first factorization, after a wait() for a factorization that failed, or
/// for the reasons of submit_factorize(). Throws MemoryError if the solution does not fit on a
/// rank. Collective.
///
/// \param factor Factor of A.
/// \param b Right-hand sides in the rows of rows_of_rank(): a StarPU vector with the rank's rows of
///     one right-hand side after those of another, or a StarPU matrix with these rows (`nx`) and
///     `count` columns (`ny`). May be null if the rank has no rows.
/// \param x Solutions, in a handle of the same kinds. It may be b.
/// \param count Number of right-hand sides.
ESPALIER_EXPORT void submit_solve(DistributedFactor& factor, DataHandle b, DataHandle x,
                                  Index count = 1);

/// Waits for all tasks of the factor. Returns the first failure of the factorizations on handles
/// since the last call, with its number in FactorStatus::position, or else the result of the last
/// one. The
/// result is the same on all ranks. Throws InputError if a value is not finite, and MemoryError or
/// RuntimeFailure if a device failed. Collective.
ESPALIER_EXPORT FactorStatus wait(DistributedFactor& factor);

}  // namespace espalier
