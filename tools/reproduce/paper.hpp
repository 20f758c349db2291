// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cost_table.hpp"
#include "reproduce/figure.hpp"
#include "reproduce/runs.hpp"

namespace espalier::internal {

/// A matrix of a paper, and a generated one of a similar kind that replaces it if its file is
/// missing.
struct PaperMatrix {
  std::string_view name;
  std::string_view stand_in;
};

// Generated problems like those in the papers' collections: planes with small supernodes, irregular
// graphs, solids with large supernodes, more entries per row, several unknowns per node. By blocks
// they have 3000 to 12,000 tasks, so that a page of real runs takes minutes.
inline constexpr const char* plane = "laplace2d:100";
inline constexpr const char* irregular = "irregular2d:6000";
inline constexpr const char* solid = "laplace3d:14";
inline constexpr const char* dense_rows = "stencil27:16";
inline constexpr const char* steel = "elasticity3d:10x10x10";

/// The setting in which figures are made.
struct Bench {
  Runs& runs;
  Index workers = 1;                  ///< cores of a node
  Index cores = 1;                    ///< cores of this machine that the program may use
  Index devices = 0;                  ///< devices of a node, or of a rank of this machine
  Index most_processes = 1;           ///< processes that may share a node
  std::vector<Index> nodes{};         ///< numbers of nodes, ascending
  std::vector<std::string> chosen{};  ///< matrices of the user, instead of the paper's
  // Measured kernel times of a CPU worker and of a device worker, if they exist.
  std::optional<CostTable> costs{};
  std::optional<DeviceTable> device_costs{};
  bool coarse = false;            ///< whether these were measured quickly, only for the figures
  std::string source_of_costs{};  ///< origin of the predicted times of CPU workers
  std::string source_of_device_costs{};  ///< and of those of devices; empty if there are none

  /// Returns the MATRIX arguments of `solve` for these matrices. The choice of the user comes
  /// first, then the paper's files in the folder of ESPALIER_MATRICES, then the stand-ins, each
  /// once.
  std::vector<std::string> matrices(std::span<const PaperMatrix> of_paper) const;

  /// Returns the number of CPU workers per rank in figures with several ranks. On the local machine
  /// it is one.
  Index workers_of_rank() const { return runs.simulated() ? workers : 1; }
  /// Returns the name of the machine, for a sentence.
  std::string machine() const {
    return runs.simulated() ? runs.settings().machine : "this machine";
  }
  /// Returns why runs with this number of busy processes or threads decide no claim: they share
  /// cores.
  /// Returns an empty text if each has a core, or is simulated.
  std::string shared_cores(Index busy) const;
  /// Returns the judgement, or that nothing is judged because these runs share cores.
  Judgement unless_shared(Index busy, Judgement judgement) const;
};

/// A figure or table of a paper's evaluation.
struct Item {
  std::string_view id;       ///< "figure 7", "table I"
  std::string_view title;    ///< its subject, in our words
  std::string_view paper;    ///< results of the paper, with their numbers and sections
  std::string_view not_run;  ///< reason why it is not reproduced; empty if it is
  Figure (*make)(Bench&) = nullptr;
  bool needs_tables = false;  ///< whether it needs kernel times of the host and of a device
};

struct Paper {
  std::string_view name;    ///< name on the command line
  std::string_view method;  ///< name of the paper's method, as its authors write it
  std::string_view citation;
  std::string_view settings;  ///< the paper's ordering and limits, which all runs use
  std::span<const Item> items;
  Index simulated_workers = 0;  ///< default number of workers of a simulated node; 0: all cores
};

Paper sympack_paper();
Paper halo_paper();
Paper swcholesky_paper();

/// Returns all papers with figures.
std::vector<Paper> known_papers();

/// Returns the paper of that name. Throws UsageError, which lists all names, if there is none.
Paper find_paper(std::string_view name);

/// Returns the items that the words name, such as "7", "figure 7" or "table 1", or all items if
/// there are no words. Throws UsageError if the paper does not have such an item.
std::vector<Item> choose_items(const Paper& paper, std::span<const std::string> words);

/// Returns a figure that cannot be reproduced here, with the reason.
Figure not_run(std::string reason);

/// Returns an empty figure with one row per matrix.
Figure by_matrix(std::vector<std::string> matrices, std::string conditions);

/// Returns an empty figure whose columns are drawn as lines on two logarithmic axes.
Figure curves(std::string rows_are, std::string conditions);

/// Returns an empty figure with one row per number of nodes, whose columns are drawn as lines.
Figure by_nodes(const Bench& bench, std::string conditions);

/// Returns the end of the title of a figure about one matrix: "of A", or "of B, in place of A" if
/// the runs use another matrix than the paper's matrix A.
std::string subject_of(const std::string& matrix, std::string_view of_paper);

/// Returns one case per number of nodes, with one rank of workers_of_rank() per node.
std::vector<RunCase> on_all_nodes(const Bench& bench, RunCase what);

/// Returns the median of the factorizations in a report, without the first one if there are
/// several. In a simulation it is the simulated time.
double warm_seconds(const nlohmann::ordered_json& report);

/// Returns the number of entries of both triangles of the matrix in a report.
double entries_of_whole_matrix(const nlohmann::ordered_json& report);

/// Makes columns from cases: the i-th value belongs to the i-th case. The value of a round is that
/// of its report. A failed case gives a missing value and a message in the figure.
class Measured {
 public:
  Measured(Bench& bench, Figure& figure) : bench_(bench), figure_(figure) {}

  /// Returns one value per case. All cases run in turns.
  std::vector<Value> values(std::span<const RunCase> cases, const Runs::Reader& read,
                            bool on_host = false);
  std::vector<Value> factor_seconds(std::span<const RunCase> cases) {
    return values(cases, warm_seconds);
  }
  std::vector<Value> solve_seconds(std::span<const RunCase> cases) {
    return numbers(cases, "/solve/seconds");
  }
  /// Returns the numbers at this path of the reports, such as "/offload/fraction".
  std::vector<Value> numbers(std::span<const RunCase> cases, const std::string& path);
  /// Returns numbers that a simulator measures on this machine, such as "/ordering/seconds".
  std::vector<Value> host_numbers(std::span<const RunCase> cases, const std::string& path);

 private:
  Bench& bench_;
  Figure& figure_;
};

}  // namespace espalier::internal
