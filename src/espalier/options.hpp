// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// Relaxed amalgamation: a child supernode is merged into its parent when, for some i, the merged
/// supernode has at most widths[i] columns and its share of explicit zeros is at most zeros[i].
struct AmalgamationOptions {
  std::array<Index, 4> widths{8, 16, 32, std::numeric_limits<Index>::max()};
  std::array<double, 4> zeros{1.0, 0.5, 0.2, 0.05};
};

/// Choices of the analysis; they fix the structure of the factor. What is left empty is as
/// `espalier tune` found best for this machine and number of workers, else the default.
struct AnalysisOptions {
  /// "auto", "dissection", "scotch", "metis", "amd", "natural", or the path of a permutation file;
  /// of several ranks also "ptscotch", see analyze() in mpi.hpp.
  std::string ordering = "auto";
  /// How many factorizations are expected to follow; decides how much ordering pays under "auto".
  Index factorizations = 1;
  /// How many workers the factorization is planned for; 0 means the cores of the machine.
  Index workers = 0;
  std::optional<AmalgamationOptions> amalgamation{};
  /// Supernodes wider than this, by default 256, are split into panels of nearly equal width.
  std::optional<Index> panel_width{};
  /// Where a panel would be too much of all the work, panels may be narrower, down to this width:
  /// by default 128.
  std::optional<Index> narrow_panel_width{};
  /// Whether `espalier tune` is asked for what is left empty, here and in FactorOptions.
  bool tuned = true;
  /// Order the columns inside supernodes so that blocks get fewer and longer.
  bool refine_partition = true;
};

/// How the columns of a supernode are cut into the tiles that tasks work on.
enum class Granularity { automatic, panel, tile, block };

/// How several ranks share the work: subtrees to ranks by their share of it and what is above over
/// nearly square grids of those below, or all but small subtrees over one grid.
enum class Mapping { proportional, block_cyclic };

/// Choices of the numeric phases. What is left empty is as for AnalysisOptions, but the default
/// where `deterministic` is set.
struct FactorOptions {
  Granularity granularity = Granularity::automatic;
  /// The same bits of x on every run with any number of workers; updates then run in a fixed order.
  /// The analysis must be the same, too: give AnalysisOptions::workers a fixed number
  /// and set `tuned` to false.
  bool deterministic = false;
  /// Refuse to start when the predicted peak passes this many bytes; 0 means no limit.
  Count memory_limit = 0;
  /// Of several ranks; one has everything.
  Mapping mapping = Mapping::proportional;
  /// Rows and columns of the grid of `block_cyclic`; zeros mean the most square one of all ranks.
  std::array<Index, 2> grid{0, 0};
  /// How many subtrees a worker's share of the work makes at the least, each a sequential task: by
  /// default 3. Small problems may get fewer.
  std::optional<double> subtrees_per_worker{};
  /// Rows of a tile at the least: by default 512, of several ranks 1024.
  std::optional<Index> tile_rows{};
};

/// Choices for a private StarPU instance.
struct RuntimeOptions {
  /// CPU workers; 0 means STARPU_NCPU where set, else the cores of the machine.
  Index workers = 0;
  /// A policy of StarPU; empty means STARPU_SCHED where set, else the default of Espalier. StarPU
  /// prefers the variable: a different name here is then refused.
  std::string scheduler;
  /// "key=value" for a policy of Espalier; ESPALIER_KEY of the environment is used where a key is
  /// not given here.
  std::vector<std::string> scheduler_options{};
  /// CUDA devices that run tasks, too; where there are fewer, these. STARPU_NWORKER_PER_CUDA is how
  /// many tasks each runs at a time. Ranks on one machine have them in turn, each so many. Not for
  /// deterministic factorizations.
  Index cuda_devices = 0;
};

/// Choices of a solve.
struct SolveOptions {
  /// At most this many steps of iterative refinement; they stop when the error no longer halves.
  Index refinement_steps = 1;
};

}  // namespace espalier
