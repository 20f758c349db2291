// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "reproduce/paper.hpp"

namespace espalier::internal::halo {

/// Names of the paper's matrices whose figures are in several files.
inline constexpr const char* small_dense_rows = "stencil27:14";
inline constexpr PaperMatrix rm07r{"RM07R", steel};
inline constexpr PaperMatrix nlpkkt80{"nlpkkt80", solid};

/// All matrices of the paper.
std::span<const PaperMatrix> all_matrices();

/// Returns the options of runs without devices. Only the policy differs from that of the paper. The
/// tasks are those of single blocks, without subtrees, so that devices may take all updates.
inline std::vector<std::string> host_options() { return {"--as", "halo"}; }

/// Configuration of runs with devices, which MDWIN divides by the paper's equations 5 and 6.
inline constexpr const char* model_driven = "as=halo";

/// Returns the number of CPU workers next to a device. A real device uses a core of this machine,
/// so the host has one worker less.
Index beside(const Bench& bench);

/// Returns the number of cores that a run with these workers and devices keeps busy.
Index busy_cores(const Bench& bench, Index ranks, Index workers, Index devices);

/// Returns the machine with its device, for a sentence.
std::string machine_of(const Bench& bench);

/// Returns the seconds of panel factorization (D and F) in a report, on average over the CPU
/// workers, which do all of it.
double panel_seconds(const nlohmann::ordered_json& report);

/// Returns the seconds of the fastest factorization, which all sums over kinds of tasks describe,
/// without those of panel factorization.
double update_seconds(const nlohmann::ordered_json& report);

// The machines and their kernels.
Figure machines(Bench& bench);
Figure gemm_speedup(Bench& bench);
Figure scatter_bandwidth(Bench& bench);

// Several processes with a device each.
Figure configurations(Bench& bench);
Figure scaling(Bench& bench);
Figure speedups_of_scaling(Bench& bench);

}  // namespace espalier::internal::halo
