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
// graphs, solids with large supernodes, more entries per row, several unknowns per node.
inline constexpr const char* plane = "laplace2d:400";
inline constexpr const char* irregular = "irregular2d:60000";
inline constexpr const char* solid = "laplace3d:36";
inline constexpr const char* dense_rows = "stencil27:30";
inline constexpr const char* steel = "elasticity3d:16x16x16";

/// The setting in which figures are made.
struct Bench {
  Runs& runs;
  Index workers = 1;                  ///< cores of a node
  Index devices = 0;                  ///< devices of a node
  std::vector<Index> nodes{};         ///< numbers of ranks, ascending
  std::vector<std::string> chosen{};  ///< matrices of the user, instead of the paper's
  // Measured kernel times of a CPU worker and of a device worker, if they exist.
  std::optional<CostTable> costs{};
  std::optional<DeviceTable> device_costs{};
  bool coarse = false;  ///< whether these were measured quickly, only for the figures

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
  std::span<const Item> items;
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

/// Returns an empty figure with one row per matrix.
Figure by_matrix(std::vector<std::string> matrices, std::string conditions);

/// Returns an empty figure with one row per number of nodes, whose columns are drawn as lines.
Figure by_nodes(const Bench& bench, std::string conditions);

/// Returns one case per number of nodes, with one rank of workers_of_rank() per node.
std::vector<RunCase> on_all_nodes(const Bench& bench, RunCase what);

/// Makes columns from cases: the i-th value belongs to the i-th case. A failed case gives NaN, and
/// its reason goes into the conditions of the figure.
class Measured {
 public:
  Measured(Bench& bench, Figure& figure) : bench_(bench), figure_(figure) {}

  /// Returns one value per case. All cases run in turns.
  std::vector<double> factor_seconds(std::span<const RunCase> cases) {
    return values(cases, &RunResult::factor_seconds);
  }
  std::vector<double> solve_seconds(std::span<const RunCase> cases) {
    return values(cases, &RunResult::solve_seconds);
  }
  /// Returns one value per case: the number at this path of its report, such as
  /// "/offload/fraction".
  std::vector<double> numbers(std::span<const RunCase> cases, const std::string& path);

 private:
  std::vector<double> values(std::span<const RunCase> cases, double RunResult::*value);
  void note_failures(std::span<const RunCase> cases);

  Bench& bench_;
  Figure& figure_;
};

}  // namespace espalier::internal
