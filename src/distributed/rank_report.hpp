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

/// Data of one rank for reports.
struct RankView {
  const Communicator& comm;
  const FactorState& state;  ///< has the tally of this rank
  const LocalStructure& structure;
  Count factor_bytes = 0;
  Count entries = 0;     ///< number of entries of A on this rank
  Traffic traffic;       ///< messages of the last factorization
  DirectTraffic direct;  ///< the part of these messages that bypassed the host
};

/// Fills the report on the root with the work of all ranks: `machine`, `tasks`, `kinds`, `widths`,
/// `ranks`, their messages and warnings, and all data of FactorHistory. Collective.
void describe_ranks(const RankView& rank, Report& report);

/// Returns the schedule of all ranks on the root, and an empty one on other ranks. `watch` was
/// started on the root by the last factorization, which succeeded and took `seconds` seconds.
/// Collective.
Schedule schedule_of_ranks(const RankView& rank, const Stopwatch& watch, double seconds);

}  // namespace espalier::internal
