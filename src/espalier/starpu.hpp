// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"

/// \file
/// Factorizations and solves on StarPU's data handles, for applications that run StarPU.
///
/// Tasks of the application write A's values and b, and read x. StarPU orders these tasks and
/// Espalier's by their accesses to the handles, as it orders the tasks of the application. So a
/// whole time loop can be submitted without a wait on the host: assembly, factorization, solve and
/// post-processing of each step.
///
/// The functions below need a factor on Runtime::inside_application(). They return before the tasks
/// run, also if earlier tasks of the factor are pending. Each factorization and each solve starts
/// when the previous ones of the same factor have ended, because they share L. The number of
/// pending tasks is not limited; StarPU keeps each of them in memory.
///
/// With Factorization::ldlt and without signs, the task that copies the values also equilibrates
/// them. No other task of the factor runs meanwhile. The first submission allocates the memory of
/// the pivots. Solves have no refinement, so that they are less accurate if the factorization
/// replaces pivots: see Factor::replaced_pivots(). Factor::wait() may repeat the last
/// factorization.
///
/// If a factorization fails, the solves that were submitted for it store NaN in x, and the next
/// factorization runs normally. Factor::wait() returns the first failure since its last call.

/// StarPU's structure behind a data handle.
struct _starpu_data_state;  // NOLINT(bugprone-reserved-identifier): StarPU's name

namespace espalier {

/// StarPU's type starpu_data_handle_t.
using DataHandle = _starpu_data_state*;

/// Submits a factorization of the analyzed pattern with values in a handle. A task copies the
/// values, so that later tasks may change them. Throws UsageError if the factor does not use
/// Runtime::inside_application(), or if StarPU cannot order accesses to the handle: because it is
/// null or partitioned, has another type or size, or lacks sequential consistency. The handle must
/// live until the task has run. Cost: one pass over the values, besides the factorization.
///
/// \param factor Factor of the pattern of A.
/// \param values StarPU vector of doubles, in the order of Matrix::with_values() of the analyzed
///     matrix. It may be valid in the memory of a device only.
ESPALIER_EXPORT void submit_factorize(Factor& factor, DataHandle values);

/// Submits a solve of A X = B, without refinement, with the last submitted factorization. Throws
/// UsageError before the first factorization, or for the reasons of submit_factorize(). Throws
/// MemoryError if the solution does not fit. The handles must live until their tasks have run.
/// Cost: that of Factor::submit_solve(), and one copy of b and of x.
///
/// \param factor Factor of A.
/// \param b Right-hand sides: a StarPU vector of n times `count` doubles, one right-hand side after
///     another, or a StarPU matrix with n rows (`nx`) and `count` columns (`ny`).
/// \param x Solutions, in a handle of the same kinds. It may be b.
/// \param count Number of right-hand sides.
ESPALIER_EXPORT void submit_solve(Factor& factor, DataHandle b, DataHandle x, Index count = 1);

}  // namespace espalier
