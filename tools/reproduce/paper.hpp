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

/// A matrix of a paper, and a generated one of its character for where it is not at hand.
struct PaperMatrix {
  std::string_view name;
  std::string_view stand_in;
};

// The generated problems have what the papers' collections have: planes with small supernodes,
// irregular graphs, solids with large ones, more entries in a row, several unknowns a node.
inline constexpr const char* plane = "laplace2d:400";
inline constexpr const char* irregular = "irregular2d:60000";
inline constexpr const char* solid = "laplace3d:36";
inline constexpr const char* dense_rows = "stencil27:30";
inline constexpr const char* steel = "elasticity3d:16x16x16";

/// What figures are made with.
struct Bench {
  Runs& runs;
  Index workers = 1;                  ///< cores of a node
  Index devices = 0;                  ///< devices of a node
  std::vector<Index> nodes{};         ///< numbers of ranks, ascending
  std::vector<std::string> chosen{};  ///< matrices of the user, in place of all of the paper's
  // What is known of kernels on a CPU worker and on one of a device, where it was measured.
  std::optional<CostTable> costs{};
  std::optional<DeviceTable> device_costs{};
  bool coarse = false;  ///< these were measured within seconds, for the figures alone

  /// Returns what `solve` is to be given for each of these matrices: those that the user has
  /// chosen; else the paper's own in the folder that ESPALIER_MATRICES names, else their stand-ins,
  /// each once.
  std::vector<std::string> matrices(std::span<const PaperMatrix> of_paper) const;

  /// Returns how many CPU workers a rank has where a figure has several ranks: here, one each.
  Index workers_of_rank() const { return runs.simulated() ? workers : 1; }
  /// Returns what the figures ran on, for a sentence.
  std::string machine() const {
    return runs.simulated() ? runs.settings().machine : "this machine";
  }
};

/// A figure or table of a paper's evaluation.
struct Item {
  std::string_view id;       ///< "figure 7", "table I"
  std::string_view title;    ///< what it shows, in our words
  std::string_view paper;    ///< what the paper reports, with its numbers and where they are from
  std::string_view not_run;  ///< why it is not made again; empty: it is
  Figure (*make)(Bench&) = nullptr;
  bool needs_tables = false;  ///< of kernels on the host and on a device
};

struct Paper {
  std::string_view name;    ///< for the command line
  std::string_view method;  ///< what the paper is about, as its authors write it
  std::string_view citation;
  std::span<const Item> items;
};

Paper sympack_paper();
Paper halo_paper();
Paper swcholesky_paper();

/// Returns all papers of which there are figures.
std::vector<Paper> known_papers();

/// Returns the paper of that name, or throws UsageError, which lists them.
Paper find_paper(std::string_view name);

/// Returns those items that the words name, "7" or "figure 7" or "table 1", all where there are
/// none. Throws UsageError for one that the paper has not.
std::vector<Item> choose_items(const Paper& paper, std::span<const std::string> words);

/// Returns a figure with a row for each matrix.
Figure by_matrix(std::vector<std::string> matrices, std::string conditions);

/// Returns a figure with a line over numbers of nodes for each of its columns.
Figure by_nodes(const Bench& bench, std::string conditions);

/// Returns one case for each number of nodes, a rank on each with workers_of_rank().
std::vector<RunCase> on_all_nodes(const Bench& bench, RunCase what);

/// Makes columns of rows of cases: the i-th value of each is that of the i-th row. What has failed
/// is NaN, and said in the conditions of the figure.
class Measured {
 public:
  Measured(Bench& bench, Figure& figure) : bench_(bench), figure_(figure) {}

  /// Returns one value for each case; all run in turns.
  std::vector<double> factor_seconds(std::span<const RunCase> cases) {
    return values(cases, &RunResult::factor_seconds);
  }
  std::vector<double> solve_seconds(std::span<const RunCase> cases) {
    return values(cases, &RunResult::solve_seconds);
  }
  /// The same of a number of the report, by its path, such as "/offload/fraction".
  std::vector<double> numbers(std::span<const RunCase> cases, const std::string& path);

 private:
  std::vector<double> values(std::span<const RunCase> cases, double RunResult::*value);
  void note_failures(std::span<const RunCase> cases);

  Bench& bench_;
  Figure& figure_;
};

}  // namespace espalier::internal
