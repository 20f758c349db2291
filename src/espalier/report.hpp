// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "espalier/types.hpp"

/// \file
/// This header has what the library tells of a run. Times are in seconds, sizes of memory in bytes,
/// unless a field says otherwise.

namespace espalier {

/// A KindReport says what the tasks of one kind did on one kind of worker.
struct KindReport {
  /// The kind is "diagonal", "factor", "update", "subtree", "assemble", "reduce" or "fill".
  std::string kind;
  /// The workers are those of a "cpu", a "coprocessor" or "cuda".
  std::string worker;
  /// This many tasks ran.
  Count count = 0;
  /// They took this time, summed over the workers.
  double seconds = 0;
  /// They performed this many floating-point operations.
  double flops = 0;
  /// They were predicted to take this time.
  double predicted_seconds = 0;
};

/// An OperationReport says how often workers of one type did one dense operation: in the fastest
/// factorization, or in the last solve with its refinement steps. Of tasks that do several the
/// operations are counted, not the calls of kernels: the update of a panel by another one is a SYRK
/// on the diagonal and a GEMM below; a subtree counts all that is done inside it (Bellavita et al.,
/// symPACK, 2023, figure 6).
struct OperationReport {
  /// The operation is "potrf", "trsm", "syrk" or "gemm".
  std::string operation;
  /// It was part of the "factor" phase or of the "solve" phase.
  std::string phase;
  /// The workers are those of a "cpu", a "coprocessor" or "cuda".
  std::string worker;
  /// It was done this many times.
  Count count = 0;
  /// It took this many floating-point operations altogether.
  double flops = 0;
};

/// A WidthReport says what the panels of some widths took in the last factorization, as source of
/// tasks. Subtrees and what is assembled from them count by predicted shares of their measured
/// time.
struct WidthReport {
  /// The panels have at least this many columns.
  Index least = 0;
  /// They have at most this many columns.
  Index most = 0;
  /// This many panels have such a width.
  Count panels = 0;
  /// They took this time, summed over the workers.
  double seconds = 0;
  /// They took this many floating-point operations.
  double flops = 0;
};

/// A QueueReport says what the tasks of one kernel task queue took under the policy ktq.
struct QueueReport {
  /// The queue is "inst", whose tasks run at once where they were released, "tpq", whose tasks run
  /// side by side, or "dpq", whose tasks run on several workers together.
  std::string queue;
  /// This many tasks were in it.
  Count tasks = 0;
  /// They took this time, summed over the workers.
  double seconds = 0;
};

/// A QueueSizesReport says how many tasks of a rank were in the queues of its workers, all
/// together, under the policy fanout (Bellavita et al., symPACK, 2023, section 3.4): one sample of
/// each in the middle of each of up to 64 equal intervals of the fastest factorization.
struct QueueSizesReport {
  /// This is the number of the rank, 0 where there is one.
  Index rank = 0;
  /// An interval takes this time.
  double interval_seconds = 0;
  /// So many tasks were in a local task queue: submitted, and waiting for others.
  std::vector<Count> ltq;
  /// So many tasks were in a ready task queue: waiting for nothing but a worker.
  std::vector<Count> rtq;
};

/// An OffloadReport says what accelerators did in the fastest factorization, in all of it or a
/// rank's part.
struct OffloadReport {
  /// Accelerators performed this share of the floating-point operations.
  double fraction = 0;
  /// The policy halo planned this share of them for devices.
  double planned_fraction = 0;
  /// The planned share is this fraction of the one without a limit of the devices' memory.
  double kept = 0;
  /// Choosing the share took this time, with all that was built to compare divisions but the graph
  /// that is used; on the slowest of several ranks.
  double plan_seconds = 0;
  /// By the plan of halo the fullest device has at most this many bytes at once: its shadows, and
  /// the tiles that are read for them. Where its memory is limited these have what shadows leave of
  /// it, or else what its workers need at once.
  Count device_bytes = 0;
  /// The plan has the devices' costs from here: "calibrated", or "analytic" by rules of thumb.
  std::string costs{};
  /// The work of the factorization is predicted to take this time by these costs on both sides
  /// together where no worker is ever idle, nothing is copied, and tasks cost nothing beside their
  /// kernels: a bound of the machine, on the slowest of several ranks. Over the seconds of a
  /// factorization it is the efficiency against that bound.
  double bound_seconds = 0;
  /// The offload efficiency of HALO (equation 7): 1 - (device_idle_seconds + host_idle_seconds) /
  /// (2 t), where t is the time of the factorization. It is 1/2 where one side is idle all the time
  /// and the other never, and 1 where neither ever is.
  double efficiency = 0;
  /// All workers, of both sides, ran tasks in this share of their time.
  double busy_share = 0;
  /// The CPU workers ran no tasks for this time, in the mean over them.
  double host_idle_seconds = 0;
  /// The workers of accelerators ran no tasks for this time, in the mean over them.
  double device_idle_seconds = 0;
  /// The CPU workers spent this time, in the mean over them, on panel factorization (t_pf of HALO's
  /// Table III): D, F, and what D and F are predicted to have of subtrees.
  double panel_seconds = 0;
  /// That is this share of the time of the factorization.
  double panel_share = 0;
  /// The copies to accelerators and back are estimated to take this time, one after the other, by
  /// their number and bytes and what these cost by the devices' costs; on the slowest of several
  /// ranks.
  double transfer_seconds = 0;
  /// StarPU copied this many bytes to accelerators.
  Count bytes_to_device = 0;
  /// StarPU copied this many bytes back.
  Count bytes_to_host = 0;
};

/// A RankReport says what one of several ranks takes.
struct RankReport {
  /// This is the number of the rank, counted from 0.
  Index rank = 0;
  /// The rank runs on the machine with this name.
  std::string host;
  /// It has this many CPU workers.
  Index cpu_workers = 0;
  /// Its workers are bound to these hardware threads, as the system numbers them.
  std::vector<Index> cores;
  /// Its workers together ran tasks for this time in the fastest factorization.
  double task_seconds = 0;
  /// These tasks were predicted to take this time.
  double predicted_seconds = 0;
  /// It has this many entries of A.
  Count entries = 0;
  /// Its part of L takes this many bytes.
  Count factor_bytes = 0;
  /// Its process had at most this many bytes resident.
  Count peak_rss_bytes = 0;
  /// Contributions and what it received took at most this many bytes at once.
  Count window_bytes = 0;
  /// It sent this many messages in the last factorization.
  Count messages = 0;
  /// These messages had this many bytes.
  Count bytes = 0;
  /// This many of them left from the memory of a CUDA device, without the host.
  Count device_messages_sent = 0;
  /// Those had this many bytes.
  Count device_bytes_sent = 0;
  /// It received this many messages into the memory of a CUDA device, without the host.
  Count device_messages_received = 0;
  /// Those had this many bytes.
  Count device_bytes_received = 0;
  /// Its accelerators did this.
  OffloadReport offload;
};

/// A PhaseMemory is the largest resident set of the process by the end of a phase.
struct PhaseMemory {
  /// The phase is "read", "ordering", "symbolic", "setup", "factor" or "solve".
  std::string phase;
  /// The process had at most this many bytes resident by then.
  Count peak_rss_bytes = 0;
};

/// A WorkReport says how far a phase can be divided among workers. It is filled where
/// AnalysisOptions::record_work and the like ask for it.
struct WorkReport {
  /// One worker computes for this time: the work.
  double seconds = 0;
  /// The longest chain of what cannot run side by side takes this time: the span.
  double span_seconds = 0;
  /// On the workers of the phase a list schedule takes this time, the start of threads included.
  double scheduled_seconds = 0;
};

/// A TuneReport says what a search for widths and limits of this one matrix, between its ordering
/// and its symbolic factorization, came to (`espalier solve --tune`).
struct TuneReport {
  /// The search took this time.
  double seconds = 0;
  /// It looked at this many tunings, none where a factorization takes no longer than a look or two.
  Count tunings = 0;
  /// A factorization was predicted to take this time before the search; zero without a look.
  double predicted_before = 0;
  /// It is predicted to take this time with what was found; the same where that is nothing better.
  double predicted_after = 0;
  /// The parameters in use after it have these values, by their names in a file of `espalier tune`;
  /// there are none where there was no search.
  std::map<std::string, double> parameters;
};

/// A Report is everything that is known of a run. Fields that no phase has filled keep their zeros.
struct Report {
  /// The run ended as "ok", "not_positive_definite" or "error".
  std::string status = "ok";
  /// This sentence says what went wrong; it is empty where nothing did.
  std::string message;
  /// Each of these sentences says what the run had to do without, such as a calibration of the user
  /// that cannot be read, and what to do.
  std::vector<std::string> warnings;

  /// This is what is known of A.
  struct {
    /// The matrix has the name of its file, without folder and extensions, or what was generated.
    std::string name;
    /// It has this many rows and columns.
    Index n = 0;
    /// Its lower triangle has this many entries.
    Count nnz_lower = 0;
    /// This many entries were added to an earlier one at the same place.
    Count duplicates_summed = 0;
    /// This many pairs (i, j), (j, i) differed by rounding only.
    Count mirrors_averaged = 0;
    /// A pattern lacked this many diagonal entries, which were added.
    Count diagonal_added = 0;
    /// Reading or generating took this time.
    double read_seconds = 0;
  } matrix;
  /// This is what is known of the fill-reducing ordering.
  struct {
    /// The method is "amd", "dissection", "metis", "scotch", "ptscotch", "natural" or "file".
    std::string method;
    /// Ordering took this time, compression included.
    double seconds = 0;
    /// It can be divided like this.
    WorkReport work;
  } ordering;
  /// This is what the symbolic factorization found.
  struct {
    /// L has this many entries, explicit zeros included.
    Count nnz_l = 0;
    /// A factorization performs this many floating-point operations.
    double flops = 0;
    /// L has this many supernodes.
    Count supernodes = 0;
    /// Their panels have this many blocks.
    Count blocks = 0;
    /// The symbolic factorization took this time.
    double seconds = 0;
    /// It can be divided like this.
    WorkReport work;
    /// A factorization is predicted to take this time.
    double predicted_factor_seconds = 0;
    /// The process is predicted to take this many bytes at most.
    Count predicted_peak_bytes = 0;
  } symbolic;
  /// This is what the factorization ran on.
  struct {
    /// The machine of the root has this name.
    std::string host;
    /// All ranks together have this many CPU workers.
    Index cpu_workers = 0;
    /// All ranks together have this many workers of CUDA devices.
    Index cuda_workers = 0;
    /// The ranks run tasks on this many CUDA devices, one that several share counted for each.
    Index cuda_devices = 0;
    /// All ranks together have this many workers in other processes.
    Index coprocessor_workers = 0;
    /// Those workers have this many threads together: more than there are workers where the threads
    /// of a coprocessor do each task together.
    Index coprocessor_threads = 0;
    /// This many ranks took part.
    Index ranks = 1;
    /// The dense kernels are those of this BLAS, and own ones for this instruction set.
    std::string blas;
  } machine;
  /// This is how several ranks share the work; imbalances are most over mean.
  struct {
    /// Data travel by this engine: "StarPU-MPI", empty where there is one rank.
    std::string engine;
    /// The mapping is "proportional" or "block-cyclic".
    std::string mapping;
    /// The predicted times of the ranks have this imbalance.
    double work_imbalance = 1;
    /// The entries of L, and what belongs to their columns, have this imbalance.
    double memory_imbalance = 1;
    /// The times of the ranks in tasks, in the fastest factorization, have this imbalance.
    double task_imbalance = 1;
    /// The ranks sent this many messages in the last factorization.
    Count messages = 0;
    /// These messages had this many bytes.
    Count bytes = 0;
  } distribution;
  /// Each rank has an entry; the list is empty where there is one rank.
  std::vector<RankReport> ranks;
  /// This is the scheduling policy.
  struct {
    /// The policy that was asked for has this name.
    std::string requested;
    /// The policy that ran has this name.
    std::string active;
    /// Each kernel task queue that had tasks has an entry, in the fastest factorization; the list
    /// is empty where the policy has no such queues, and in JSON it is left out then.
    std::vector<QueueReport> queues;
    /// Each rank has an entry with the sizes of its queues, under the policy fanout; in JSON an
    /// empty list is left out.
    std::vector<QueueSizesReport> queue_sizes;
  } scheduler;
  /// This is where predicted times come from.
  struct {
    /// The source is "calibrated", "shipped", "analytic", or "named" if RuntimeOptions::costs names
    /// the file.
    std::string source;
    /// The calibration is in this file, or the shipped table has this name.
    std::string file;
    /// It was measured on this day (year-month-day); empty for rules of thumb.
    std::string date;
  } models;
  /// This is where what options leave empty comes from.
  struct {
    /// The source is "tuned", "defaults", or "searched" in this run.
    std::string source;
    /// The tuning is in this file.
    std::string file;
  } tuning;
  /// A search for a tuning came to this; in JSON it is left out where there was none.
  TuneReport tune;
  /// This is what is known of the tasks of a factorization; there are this many of each kind.
  struct {
    /// These tasks factor a diagonal block (POTRF).
    Count diagonal = 0;
    /// These solve for the rows below a diagonal block (TRSM).
    Count factor = 0;
    /// These update another panel (SYRK, GEMM).
    Count update = 0;
    /// These factor a whole small subtree, sequentially.
    Count subtree = 0;
    /// These add what the panels of a subtree contribute to one above.
    Count assemble = 0;
    /// These add a contribution of another rank, or the shadow of a device, to its target.
    Count reduce = 0;
    /// These set a tile to the entries of A, where there are accelerators.
    Count fill = 0;
    /// A task took this many microseconds, in the mean over the fastest factorization.
    double mean_us = 0;
    /// In this share of the workers' time during the fastest factorization no task could have run
    /// before others ended.
    double idle_share = 0;
    /// StarPU and the submission took this share of that time. The rest is tasks.
    double runtime_share = 0;
    /// The sum of |measured - predicted| over single tasks is this fraction of the sum of their
    /// measured times.
    double prediction_error = 0;
  } tasks;
  /// Accelerators did this.
  OffloadReport offload;
  /// Each kind of tasks that ran has an entry for each kind of worker that ran it, in the fastest
  /// factorization.
  std::vector<KindReport> kinds;
  /// Each operation has an entry for each phase and kind of worker that did it, on all ranks.
  std::vector<OperationReport> operations;
  /// The widths that occur stand in ascending order.
  std::vector<WidthReport> widths;
  /// This is what the factorizations took.
  struct {
    /// The fastest factorization took this time.
    double seconds = 0;
    /// It performed this many billion (1e9) floating-point operations a second.
    double gflops = 0;
    /// The last factorizations took these times, 100,000 of them at most.
    std::vector<double> runs;
    /// The granularity of the plan is "panel", "tile" or "block".
    std::string granularity;
    /// CPU workers computed with these kernels: "auto", "own", "blas" or "mixed".
    std::string kernels;
    /// No schedule of these tasks takes less, by what they are predicted to take on CPUs and
    /// devices: the longer of all work, shared out among all workers, and of the longest path.
    /// Copies take no time in it. It is zero for several ranks.
    double bound_seconds = 0;
    /// The plan, task list, handles and storage took this time, once for all runs.
    double setup_seconds = 0;
    /// That can be divided like this.
    WorkReport setup_work;
  } factor;
  /// This is what the last solve took.
  struct {
    /// Both triangular solves with their permutations, and refinement steps where any were tried,
    /// took this time; the residual that checks the answer is not in it.
    double seconds = 0;
    /// That residual took this time, with the norm of A where it was not known yet.
    double residual_seconds = 0;
    /// It had this many right-hand sides.
    Index nrhs = 0;
    /// This many steps of refinement improved the solution.
    Index refinement_steps = 0;
    /// Devices performed this share of the floating-point operations.
    double offloaded = 0;
  } solve;
  /// This is the memory of the process; of several ranks it is the root's.
  struct {
    /// L takes this many bytes, on all ranks together.
    Count factor_bytes = 0;
    /// The process had at most this many bytes resident.
    Count peak_rss_bytes = 0;
    /// The phases stand in their order.
    std::vector<PhaseMemory> phases;
  } memory;
  /// This is the quality of the last solution.
  struct {
    /// The backward error is that of Solution::backward_error.
    double backward_error = 0;
  } solution;
  /// This is the column that FactorStatus::bad_column names, counted from 0; -1 where there is
  /// none.
  Index bad_column = -1;
};

}  // namespace espalier
