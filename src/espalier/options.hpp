// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "espalier/types.hpp"

/// \file
/// The options of all phases. If a value is outside its range, the function that receives the
/// options throws UsageError; the message states the range.

namespace espalier {

/// Format of a matrix file.
enum class FileFormat {
  automatic,       ///< One of the formats below, detected from the first lines of the file.
  matrix_market,   ///< Matrix Market.
  harwell_boeing,  ///< Harwell-Boeing or Rutherford-Boeing.
};

/// Limits of relaxed amalgamation. A child supernode may merge into its parent if, for some i, the
/// merged supernode has at most widths[i] columns and its share of explicit zeros is at most
/// zeros[i]. A merge is skipped if it is predicted to cost more time than it saves. See Ashcraft
/// and Grimes, "The influence of relaxed supernode partitions on the multifrontal method", 1989.
struct AmalgamationOptions {
  /// Maximum number of columns of a merged supernode, one value per level of allowed zeros.
  std::array<Index, 4> widths{8, 16, 32, std::numeric_limits<Index>::max()};
  /// Maximum share of explicit zeros in a merged supernode, from 0 to 1, one value per width.
  std::array<double, 4> zeros{1.0, 0.5, 0.2, 0.05};
};

/// Size of the pieces of a supernode that tasks work on.
enum class Granularity {
  automatic,  ///< The library chooses.
  panel,      ///< Whole panels.
  tile,       ///< Tiles: consecutive blocks of a panel.
  block,      ///< Single blocks.
};

/// Configuration of a paper that the options of all phases follow. Options::set("as", NAME) fills
/// it, and reports state it. It does not change the factor, because all options have their values.
struct Configuration {
  /// Name, as `espalier help schedulers` lists it; empty if the options follow no configuration.
  std::string name{};
  /// Options that differ from the configuration because they were set otherwise, such as "fuse=0".
  std::vector<std::string> overridden{};
  /// Granularity of the tasks for which Analysis::report() predicts times and memory.
  Granularity granularity = Granularity::automatic;
};

/// Options of the analysis; they determine the structure of the factor. An empty option gets the
/// value that `espalier tune` found for this machine and number of workers, or else its default.
struct AnalysisOptions {
  /// Ordering: "auto", "dissection", "scotch", "metis", "amd", "natural", or the path of a
  /// permutation file. Several ranks may also use "ptscotch", see analyze() in mpi.hpp.
  std::string ordering = "auto";
  /// Expected number of factorizations. With the ordering "auto" it decides how much time the
  /// ordering may take.
  Index factorizations = 1;
  /// Number of workers for which the factorization is planned. 0 means the cores of the machine.
  Index workers = 0;
  /// Limits of amalgamation.
  std::optional<AmalgamationOptions> amalgamation{};
  /// Maximum width of a panel, in columns (default 256). Wider supernodes are split into panels of
  /// nearly equal width. With CUDA devices, 512 or 1024 is faster, except under the policy halo;
  /// the program `espalier` uses these widths by itself.
  std::optional<Index> panel_width{};
  /// Minimum panel width, in columns (default 128). Panels are narrowed down to it if one panel
  /// would hold too large a share of the work.
  std::optional<Index> narrow_panel_width{};
  /// Whether empty options, here and in FactorOptions, get the values that `espalier tune` found.
  bool tuned = true;
  /// Whether columns are reordered inside supernodes so that blocks become fewer and longer. See
  /// Jacquelin, Ng and Peyton, "Fast and effective reordering of columns within supernodes using
  /// partition refinement", 2018. Several ranks do not do this if columns are paired.
  bool refine_partition = true;
  /// Whether columns with large off-diagonal entries are paired, for indefinite matrices. A
  /// weighted matching of the values finds the pairs. Both columns of a pair are adjacent and in
  /// one panel, which leads to more entries of L. The matrix must have values. Not for the ordering
  /// ptscotch. See Duff and Pralet, "Strategies for scaling and pivoting for sparse symmetric
  /// indefinite problems", 2005.
  bool matching = false;
  /// Whether the report gets the work and the span of each phase. One thread then runs the parallel
  /// steps of the phases, divided as for `workers`. This takes longer, but the result is the same.
  bool record_work = false;
  /// Configuration of a paper that the options of all phases follow.
  Configuration configuration{};
};

/// Distribution of the work among several ranks.
enum class Mapping {
  /// Ranks get subtrees in proportion to the work. The panels above the subtrees are distributed
  /// over nearly square grids of the ranks that share them. See Pothen and Sun, "A mapping
  /// algorithm for parallel sparse Cholesky factorization", 1993.
  proportional,
  /// Everything except small subtrees is distributed over one grid of all ranks. With
  /// Granularity::block, all blocks are, as in symPACK.
  block_cyclic,
  /// As block_cyclic, but a rank owns whole panels, and a computation map names the rank that
  /// computes the updates of panel k by panel j. It sends their sum to the owner of panel k.
  /// See Jacquelin, Zheng, Ng and Yelick, "An asynchronous task-based fan-both sparse Cholesky
  /// solver", 2016.
  fan_both,
  /// The ranks form layers, each with a grid of its ranks and with its own subtrees. A layer
  /// computes the updates of the panels above by its panels, and sends their sums to the owners.
  /// See Sao, Li and Vuduc, "A communication-avoiding 3D algorithm for sparse LU factorization on
  /// heterogeneous systems", 2018.
  three_d,
};

/// Dense kernels of the CPU workers. Devices have their own kernels.
struct DenseKernels {
  /// Source of the kernels.
  enum class Source {
    automatic,  ///< Kernels of the library, and kernels of the BLAS inside wide triangles.
    own,        ///< Kernels of the library. They do POTRF and TRSM by panels of columns.
    blas,       ///< Kernels of the BLAS and LAPACK.
    mixed,      ///< POTRF and TRSM by panels of columns, made of kernels of the BLAS and LAPACK.
  };
  /// Source of the kernels.
  Source from = Source::automatic;
  /// Panel width of TRSM by panels, in columns: 64, 128, 256, 512 or 1024 (panel1 of swCholesky,
  /// section 3.3.2).
  std::optional<Index> panel1{};
  /// Panel width of POTRF by panels, in columns: 64, 128, 256, 512 or 1024 (panel2 of swCholesky,
  /// section 3.3.2).
  std::optional<Index> panel2{};
};

/// Kind of factorization. P stands for the permutation of the ordering.
enum class Factorization {
  llt,  ///< P A Pᵀ = L Lᵀ, for positive definite A.
  /// P A Pᵀ = L J Lᵀ for symmetric A, where J has the signs of the pivots. Factor::set_signs()
  /// gives them. Otherwise each diagonal block chooses its pivots by swaps and rotations of its
  /// columns. If solutions are not accurate, columns without a large enough pivot move towards the
  /// root, and the factorization is repeated.
  ldlt,
  /// L Lᵀ first. If a pivot is not positive, the factorization is repeated as L J Lᵀ with pivots
  /// that blocks choose, and all later factorizations of the same Factor are L J Lᵀ, too. A
  /// diagonal entry that is not positive makes the attempt of L Lᵀ unnecessary.
  automatic,
};

/// Options of the numeric phases. An empty option gets the value that `espalier tune` found, as in
/// AnalysisOptions. If `deterministic` is set, an empty option gets its default instead.
struct FactorOptions {
  /// Size of the pieces that tasks work on.
  Granularity granularity = Granularity::automatic;
  /// Whether every run gives the same bits of x, with any number of workers. Updates then run in a
  /// fixed order. The analysis must be the same in all runs, too: set AnalysisOptions::workers to a
  /// fixed number and AnalysisOptions::tuned to false.
  bool deterministic = false;
  /// Kind of factorization. All except Factorization::llt need DenseKernels::Source::automatic. On
  /// CUDA devices they were tested only with a stand-in for a device. Factorization::automatic also
  /// needs matrices, not handles.
  Factorization factorization = Factorization::llt;
  /// Regularization c, p, t, r of Factorization::ldlt. All zeros mean none. A + (c + p max|a_jj|) J
  /// is factored instead of A, and a pivot d of column j with J_jj d <= t becomes J_jj r. The four
  /// numbers of Clarabel (Goulart and Chen, "Clarabel: an interior-point solver for conic programs
  /// with quadratic objectives", 2024) are 1e-8, 4.9e-32, 1e-13, 2e-7. The solution is refined with
  /// A itself.
  std::array<double, 4> regularization{0, 0, 0, 0};
  /// Memory limit, in bytes; 0 means no limit. The constructor of the factor throws MemoryError if
  /// the predicted peak exceeds the limit.
  Count memory_limit = 0;
  /// Memory that the application keeps in addition, such as right-hand sides, in bytes. It is added
  /// to the predicted peak of the process, or of the root if there are several ranks.
  Count memory_beside = 0;
  /// Distribution of the work among several ranks. A single rank does all work.
  Mapping mapping = Mapping::proportional;
  /// Numbers of rows and columns of the grid of Mapping::block_cyclic and Mapping::fan_both, or of
  /// the grid of each layer of Mapping::three_d. Zeros mean the most square grid of all ranks, or
  /// an automatic number of layers.
  std::array<Index, 2> grid{0, 0};
  /// Minimum number of subtrees per worker; each subtree is one sequential task. The default is 3.
  /// With devices much faster than a core, the planner chooses a number from 12 to 3072 with the
  /// shortest predicted time. Small problems may get fewer subtrees.
  std::optional<double> subtrees_per_worker{};
  /// Minimum number of rows of a tile. The default is 512. With 16 workers or more, the planner
  /// also tries 256 and 128. For several ranks, the default is from 1024 down to 128: the more
  /// workers they have, the smaller.
  std::optional<Index> tile_rows{};
  /// Dense kernels of the CPU workers.
  DenseKernels kernels{};
  /// Whether the report gets the work and the span of the steps before the first factorization, and
  /// of the residual after a solve. See AnalysisOptions::record_work.
  bool record_work = false;
};

/// Source of the costs that predict times and decide plans and priorities. An empty field stands
/// for the file of this machine, and "estimates" for the built-in estimates. Any other text is the
/// path of a file that `espalier calibrate --out` wrote on any machine. The file of this machine is
/// the one that `espalier calibrate` keeps for the user. If it is missing or cannot be used, the
/// costs come from a table that Espalier has for this processor, or else from the built-in
/// estimates.
struct CostSource {
  /// Source of the costs of CPU workers.
  std::string host{};
  /// Source of the costs of devices. It is read only if there are devices.
  std::string devices{};

  /// Returns whether both name the same sources, in the same words.
  bool operator==(const CostSource&) const = default;
};

/// Options of a private StarPU.
struct RuntimeOptions {
  /// Number of CPU workers. 0 means STARPU_NCPU if it is set, else the cores of the machine.
  Index workers = 0;
  /// Scheduling policy. Empty means STARPU_SCHED if it is set, else the default of Espalier. StarPU
  /// prefers the variable, so a name that differs from the variable is refused.
  std::string scheduler{};
  /// Options of Espalier's policies, each as "key=value". For a key that is missing here, the
  /// environment variable ESPALIER_KEY is used.
  std::vector<std::string> scheduler_options{};
  /// Maximum number of CUDA devices that run tasks. Ranks on one machine take its devices in turn,
  /// this many per rank. STARPU_NWORKER_PER_CUDA is the number of concurrent tasks per device. It
  /// is 1 if it is not set, but 2 is faster, and the program `espalier` sets 2. Deterministic
  /// factorizations throw UsageError if there are CUDA devices.
  Index cuda_devices = 0;
  /// Source of the costs of this runtime, which are read once, when StarPU starts. The constructor
  /// throws InputError if a named file cannot be read, is damaged, or is for other devices.
  CostSource costs{};

  /// Returns whether both have the same options, in the same words.
  bool operator==(const RuntimeOptions&) const = default;
};

/// Options of a solve.
struct SolveOptions {
  /// Maximum number of steps of iterative refinement. Refinement stops earlier if a step does not
  /// halve the error, or if the error is at most 1e-14.
  Index refinement_steps = 1;
};

}  // namespace espalier
