// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// What the tasks of one kind did on one kind of worker.
struct KindReport {
  std::string kind;    ///< "diagonal", "factor", "update", "subtree", "assemble", "reduce", "fill"
  std::string worker;  ///< "cpu", "coprocessor" or "cuda"
  Count count = 0;
  double seconds = 0;  ///< summed over the workers
  double flops = 0;
  double predicted_seconds = 0;
};

/// What the panels of some widths took in the last factorization, as source of tasks. Subtrees and
/// what is assembled from them count by predicted shares of their measured time.
struct WidthReport {
  Index least = 0;  ///< columns of a panel, [least, most]
  Index most = 0;
  Count panels = 0;
  double seconds = 0;  ///< summed over the workers
  double flops = 0;
};

/// What accelerators did in the fastest factorization, in all of it or a rank's part.
struct OffloadReport {
  double fraction = 0;  ///< of the flops, run by accelerators
  /// Under the policy halo: the fraction that was planned, what it is of the one without a limit of
  /// the devices' memory, and the seconds that choosing it took, with all that was built to compare
  /// divisions but the graph that is used; on the slowest of several ranks.
  double planned_fraction = 0;
  double kept = 0;
  double plan_seconds = 0;
  /// What the fullest device has at most at once by that plan: its shadows, and the tiles that are
  /// read for them. Where its memory is limited these have what shadows leave of it, or else what
  /// its workers need at once.
  Count device_bytes = 0;
  /// Where the plan has the devices' costs from: "calibrated", or "analytic" by rules of thumb.
  std::string costs{};
  /// What the work of the factorization is predicted to take by these costs on both sides together
  /// where no worker is ever idle, nothing is copied, and tasks cost nothing beside their kernels:
  /// a bound of the machine, on the slowest of several ranks. Over the seconds of a factorization
  /// it is the efficiency against that bound.
  double bound_seconds = 0;
  /// The share of the time of all workers, of both sides, in which they ran tasks; the seconds in
  /// which those of one side did not, together; and what StarPU copied.
  double efficiency = 0;
  double host_idle_seconds = 0;
  double device_idle_seconds = 0;
  Count bytes_to_device = 0;
  Count bytes_to_host = 0;
};

/// What one of several ranks takes.
struct RankReport {
  Index rank = 0;
  std::string host;
  Index cpu_workers = 0;
  /// Hardware threads that its workers are bound to, as the system numbers them.
  std::vector<Index> cores;
  /// Of its workers together in tasks, in the fastest factorization, and predicted for these.
  double task_seconds = 0;
  double predicted_seconds = 0;
  Count entries = 0;  ///< of A, that it has
  Count factor_bytes = 0;
  Count peak_rss_bytes = 0;
  Count window_bytes = 0;  ///< that contributions and what it received took at once, at most
  Count messages = 0;      ///< that it sent in the last factorization
  Count bytes = 0;         ///< in them
  OffloadReport offload;
};

/// One task of a factorization: what it was, where and when it ran.
struct TaskRun {
  std::string kind;
  Index row = 0;     ///< block row of what it wrote: a panel
  Index column = 0;  ///< its block column
  Index m = 0;       ///< rows written
  Index n = 0;       ///< columns written
  Index k = 0;       ///< inner dimension
  double flops = 0;
  double predicted_seconds = 0;
  Index worker = 0;
  double begin = 0;  ///< seconds since the start of the factorization
  double end = 0;
  Index slices = 1;  ///< workers that ran it together, this one the first; all ended about then
};

/// The last factorization, task by task. On several ranks, workers count on from rank to rank, and
/// so do panels: first the domain of each rank, then what they share.
struct Schedule {
  double seconds = 0;  ///< from the call to its return; without a return, to the last task's end
  Index workers = 0;
  std::vector<Index> first_worker;  ///< of each rank; empty where there is one
  /// Of all workers together, as the shares of Report::tasks have it: on several ranks whatever is
  /// no task is idle, for it waits for messages, too.
  double idle_seconds = 0;
  double runtime_seconds = 0;
  /// Predicted, along the longest path through the tasks: no number of workers is faster.
  double critical_path_seconds = 0;
  std::vector<TaskRun> tasks;  ///< in an order in which they could run one after another
};

/// The largest resident set of the process by the end of a phase.
struct PhaseMemory {
  std::string phase;  ///< "read", "ordering", "symbolic", "setup", "factor", "solve"
  Count peak_rss_bytes = 0;
};

/// Everything that is known of a run. Fields that no phase has filled keep their zeros.
struct Report {
  std::string status = "ok";  ///< "ok", "not_positive_definite", "error"
  std::string message;

  struct {
    std::string name;
    Index n = 0;
    Count nnz_lower = 0;
    Count duplicates_summed = 0;
    Count mirrors_averaged = 0;
    double read_seconds = 0;
  } matrix;
  struct {
    std::string method;
    double seconds = 0;
  } ordering;
  struct {
    Count nnz_l = 0;
    double flops = 0;
    Count supernodes = 0;
    Count blocks = 0;
    double seconds = 0;
    double predicted_factor_seconds = 0;
    Count predicted_peak_bytes = 0;
  } symbolic;
  struct {
    std::string host;
    Index cpu_workers = 0;
    Index cuda_workers = 0;
    Index coprocessor_workers = 0;
    Index ranks = 1;
    std::string blas;
  } machine;
  /// Among several ranks; imbalances are most over mean.
  struct {
    std::string mapping;
    double work_imbalance = 1;    ///< of the predicted seconds
    double memory_imbalance = 1;  ///< of the entries of L and what belongs to their columns
    double task_imbalance = 1;    ///< of the seconds in tasks, in the fastest factorization
    Count messages = 0;           ///< of the last factorization
    Count bytes = 0;              ///< in them
  } distribution;
  std::vector<RankReport> ranks;  ///< empty where there is one
  struct {
    std::string requested;
    std::string active;
  } scheduler;
  struct {
    std::string source;  ///< of predicted times: "calibrated", "shipped" or "analytic"
    std::string file;    ///< the calibration, or the name of the shipped table
  } models;
  struct {
    std::string source;  ///< of what options leave empty: "tuned" or "defaults"
    std::string file;    ///< the tuning
  } tuning;
  struct {
    Count diagonal = 0;
    Count factor = 0;
    Count update = 0;
    Count subtree = 0;
    Count assemble = 0;
    Count reduce = 0;
    Count fill = 0;  ///< with accelerators: sets a tile to the entries of A
    double mean_us = 0;
    /// Shares of the workers' time during the fastest factorization: in which no task could have
    /// run before others ended, and what StarPU and the submission took. The rest is tasks.
    double idle_share = 0;
    double runtime_share = 0;
    /// Sum of |measured - predicted| over the sum of the measured times, of single tasks.
    double prediction_error = 0;
  } tasks;
  OffloadReport offload;
  std::vector<KindReport> kinds;
  std::vector<WidthReport> widths;  ///< ascending, those that occur
  struct {
    double seconds = 0;  ///< the fastest run
    double gflops = 0;
    std::vector<double> runs;
    std::string granularity;
    double setup_seconds = 0;  ///< task list, handles and storage, once for all runs
  } factor;
  struct {
    /// Both triangular solves with their permutations, and refinement steps where any were tried;
    /// not the residual that checks the answer.
    double seconds = 0;
    Index nrhs = 0;
    Index refinement_steps = 0;
    double offloaded = 0;  ///< share of the flops that devices did
  } solve;
  struct {
    Count factor_bytes = 0;
    Count peak_rss_bytes = 0;
    std::vector<PhaseMemory> phases;  ///< in the order of the phases
  } memory;
  struct {
    double backward_error = 0;
  } solution;
  /// The column whose pivot failed, numbered from 0; -1 when none did.
  Index bad_column = -1;
};

}  // namespace espalier
