// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "espalier/types.hpp"

/// \file
/// This header has the options of all phases. The function that takes them throws UsageError for a
/// value outside of its range; the message names the range.

namespace espalier {

/// The FileFormat says how a file of a matrix is read.
enum class FileFormat {
  automatic,       ///< The first lines of the file say in which of the formats it is.
  matrix_market,   ///< The file is a Matrix Market file.
  harwell_boeing,  ///< The file is a Harwell-Boeing or Rutherford-Boeing file.
};

/// AmalgamationOptions are the limits of relaxed amalgamation: a child supernode may merge into its
/// parent if, for some i, the merged supernode has at most widths[i] columns and its share of
/// explicit zeros is at most zeros[i]. A merge that is predicted to take more time than it saves is
/// left out. See Ashcraft and Grimes, "The influence of relaxed supernode partitions on the
/// multifrontal method", 1989.
struct AmalgamationOptions {
  /// Maximum number of columns of a merged supernode, one value per level of allowed zeros.
  std::array<Index, 4> widths{8, 16, 32, std::numeric_limits<Index>::max()};
  /// Maximum share of explicit zeros in a merged supernode, from 0 to 1, one value per width.
  std::array<double, 4> zeros{1.0, 0.5, 0.2, 0.05};
};

/// AnalysisOptions are the choices of the analysis; they fix the structure of the factor. What is
/// left empty is as `espalier tune` found best for this machine and number of workers, else the
/// default.
struct AnalysisOptions {
  /// The ordering is "auto", "dissection", "scotch", "metis", "amd", "natural", or the path of a
  /// permutation file; several ranks may also name "ptscotch", see analyze() in mpi.hpp.
  std::string ordering = "auto";
  /// This many factorizations are expected to follow; it decides how much ordering pays under
  /// "auto".
  Index factorizations = 1;
  /// The factorization is planned for this many workers; 0 means the cores of the machine.
  Index workers = 0;
  /// The limits of amalgamation are these.
  std::optional<AmalgamationOptions> amalgamation{};
  /// Supernodes with more columns than this, by default 256, are split into panels of nearly equal
  /// width. Beside CUDA devices 512 or 1024 is faster, but not under the policy halo; the program
  /// takes that.
  std::optional<Index> panel_width{};
  /// Where a panel would be too much of all the work, panels may be narrower, down to this many
  /// columns: by default 128.
  std::optional<Index> narrow_panel_width{};
  /// This says whether `espalier tune` is asked for what is left empty, here and in FactorOptions.
  bool tuned = true;
  /// This says whether columns are ordered inside supernodes so that blocks get fewer and longer.
  /// See Jacquelin, Ng and Peyton, "Fast and effective reordering of columns within supernodes
  /// using partition refinement", 2018.
  bool refine_partition = true;
  /// This asks the report for the work and the span of the phases. One thread then runs their
  /// parallel steps, divided as for `workers`, so that they take longer; the result is the same.
  bool record_work = false;
};

/// The Granularity says how the columns of a supernode are cut into what tasks work on.
enum class Granularity {
  automatic,  ///< The library chooses.
  panel,      ///< A task works on a whole panel.
  tile,       ///< A task works on a tile: consecutive blocks of a panel.
  block,      ///< A task works on one block.
};

/// The Mapping says how several ranks share the work.
enum class Mapping {
  /// Subtrees go to ranks by their share of the work, and what is above them goes over nearly
  /// square
  /// grids of the ranks below. See Pothen and Sun, "A mapping algorithm for parallel sparse
  /// Cholesky
  /// factorization", 1993.
  proportional,
  /// All but small subtrees goes over one grid of all ranks; with Granularity::block all blocks do,
  /// as in symPACK.
  block_cyclic,
};

/// The DenseKernels are what the tasks of CPU workers compute with; devices have their own.
struct DenseKernels {
  /// The Source says whose kernels they are.
  enum class Source {
    automatic,  ///< The library takes its own, and the BLAS inside of wide triangles.
    own,        ///< All are its own; POTRF and TRSM are combined of them, by panels of columns.
    blas,       ///< All are those of the BLAS and LAPACK.
    mixed,      ///< The combined ones, made of kernels of the BLAS and LAPACK.
  };
  /// They are from here.
  Source from = Source::automatic;
  /// Combined TRSM works by panels of this many columns (panel1 of swCholesky, section 3.3.2): 64,
  /// 128, 256 or 512.
  Index panel1 = 128;
  /// Combined POTRF works by panels of this many columns (panel2 of the same), of the same numbers.
  Index panel2 = 128;
};

/// FactorOptions are the choices of the numeric phases. What is left empty is as for
/// AnalysisOptions, but the default where `deterministic` is set.
struct FactorOptions {
  /// Tasks work on pieces of this kind.
  Granularity granularity = Granularity::automatic;
  /// This asks for the same bits of x on every run with any number of workers; updates then run in
  /// a fixed order. The analysis must be the same, too: give AnalysisOptions::workers a fixed
  /// number and set AnalysisOptions::tuned to false.
  bool deterministic = false;
  /// The factor refuses to start when its predicted peak passes this many bytes; 0 means no limit.
  Count memory_limit = 0;
  /// The process, or that of the root of several ranks, keeps this many bytes besides, such as
  /// right-hand sides; the prediction has them.
  Count memory_beside = 0;
  /// Several ranks share the work like this; one has everything.
  Mapping mapping = Mapping::proportional;
  /// The grid of Mapping::block_cyclic has these numbers of rows and columns; zeros mean the most
  /// square grid of all ranks.
  std::array<Index, 2> grid{0, 0};
  /// A worker's share of the work is at least this many subtrees, each a sequential task: by
  /// default 3, and 12 to 3072 beside devices that are much faster than a core, by what is
  /// predicted to be done sooner. Small problems may get fewer.
  std::optional<double> subtrees_per_worker{};
  /// A tile has at least this many rows: by default 512, and 1024 where there are several ranks.
  std::optional<Index> tile_rows{};
  /// CPU workers compute with these kernels.
  DenseKernels kernels{};
  /// This asks the report for the work and the span of what precedes the first factorization, as
  /// AnalysisOptions::record_work does, and of the residual after a solve.
  bool record_work = false;
};

/// Source of the costs by which times are predicted, and plans and priorities chosen. Each field is
/// empty for this machine's file, "estimates" for the built-in estimates, or the path of a file
/// that `espalier calibrate --out` wrote on any machine. This machine's file is the one that
/// `espalier calibrate` keeps for the user; if there is none, or it cannot be used, costs are those
/// of a table that Espalier has for this processor, or the built-in estimates.
struct CostSource {
  /// Source of the costs of CPU workers.
  std::string host{};
  /// Source of the costs of devices, which are read if there are any.
  std::string devices{};

  /// Returns whether both name the same sources, in the same words.
  bool operator==(const CostSource&) const = default;
};

/// RuntimeOptions are the choices for a private StarPU instance.
struct RuntimeOptions {
  /// This many CPU workers run tasks; 0 means STARPU_NCPU where it is set, else the cores of the
  /// machine.
  Index workers = 0;
  /// This policy of StarPU schedules tasks; empty means STARPU_SCHED where it is set, else the
  /// default of Espalier. StarPU prefers the variable: a different name here is then refused.
  std::string scheduler{};
  /// Each is "key=value" for a policy of Espalier; ESPALIER_KEY of the environment is used where a
  /// key is not given here.
  std::vector<std::string> scheduler_options{};
  /// This many CUDA devices run tasks, too; where there are fewer, these do.
  /// STARPU_NWORKER_PER_CUDA is how many tasks each runs at a time, 1 where it is not set; 2 are
  /// faster, and what the program takes. Ranks on one machine have its devices in turn, this many
  /// each. Deterministic factorizations throw UsageError where there are any.
  Index cuda_devices = 0;
  /// Source of the costs of this runtime, which are read once, when StarPU starts. InputError is
  /// thrown if a file that is named here cannot be read, is damaged, or is of other devices.
  CostSource costs{};

  /// Returns whether both ask for the same, in the same words.
  bool operator==(const RuntimeOptions&) const = default;
};

/// SolveOptions are the choices of a solve.
struct SolveOptions {
  /// At most this many steps of iterative refinement are made; they stop when the error no longer
  /// halves.
  Index refinement_steps = 1;
};

}  // namespace espalier
