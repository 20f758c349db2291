// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "graph/exchange.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"
#include "report/factor_report.hpp"
#include "runtime/mpi/communicator.hpp"
#include "runtime/mpi/starpu_mpi_engine.hpp"
#include "solver/factor_state.hpp"

namespace espalier::internal {

/// What one rank has to tell of its part.
struct RankView {
  const Communicator& comm;
  const FactorState& state;  ///< whose tally is that of this rank
  const LocalStructure& structure;
  Count factor_bytes = 0;
  Count entries = 0;     ///< how many entries of A it has
  Traffic traffic;       ///< what it sent and received in the last factorization
  DirectTraffic direct;  ///< what of that had to do with devices alone
};

/// Enters on the root what all ranks did: `machine`, `tasks`, `kinds`, `widths`, `ranks`, what they
/// sent, what they warn of, and all that FactorHistory describes. Collective.
void describe_ranks(const RankView& rank, Report& report);

/// Returns the tasks of all ranks, on the root; that of the others is empty. `watch` has run since
/// the root's call of the last factorization, which succeeded and took `seconds`. Collective.
Schedule schedule_of_ranks(const RankView& rank, const Stopwatch& watch, double seconds);

}  // namespace espalier::internal
