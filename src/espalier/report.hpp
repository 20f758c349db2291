// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "espalier/options.hpp"
#include "espalier/types.hpp"

/// \file
/// The report of a run. Times are in seconds and sizes of memory in bytes, unless a field says
/// otherwise.

namespace espalier {

/// Sums over the tasks of one kind that ran on one type of worker.
struct KindReport {
  /// Kind of the tasks: "diagonal", "factor", "update", "subtree", "assemble", "reduce" or "fill".
  std::string kind;
  /// Type of the workers: "cpu", "coprocessor" or "cuda".
  std::string worker;
  /// Number of tasks.
  Count count = 0;
  /// Time of the tasks, in seconds, summed over the workers.
  double seconds = 0;
  /// Number of floating-point operations.
  double flops = 0;
  /// Predicted time of the tasks, in seconds, summed over the workers.
  double predicted_seconds = 0;
};

/// Number of times that workers of one type did one dense operation: in the fastest factorization,
/// or in the last solve with its refinement steps. It counts operations, not calls of kernels. The
/// update of a panel by another panel counts as a SYRK on the diagonal and a GEMM below. A subtree
/// counts as all the operations inside it (Bellavita et al., symPACK, 2023, figure 6).
struct OperationReport {
  /// Operation: "potrf", "trsm", "syrk" or "gemm".
  std::string operation;
  /// Phase: "factor" or "solve".
  std::string phase;
  /// Type of the workers: "cpu", "coprocessor" or "cuda".
  std::string worker;
  /// Number of operations.
  Count count = 0;
  /// Number of floating-point operations.
  double flops = 0;
};

/// Work of the panels in one range of widths, in the last factorization. An update counts
/// for the panel that it reads, and a reduction for the panel that it adds to. The time of all
/// subtrees, and of assembling from them, is divided among their panels in proportion to the
/// predicted times of these panels.
struct WidthReport {
  /// Minimum width of the range, in columns.
  Index least = 0;
  /// Maximum width of the range, in columns.
  Index most = 0;
  /// Number of panels in the range.
  Count panels = 0;
  /// Time of the tasks of these panels, in seconds, summed over the workers. A task that several
  /// workers ran together counts once.
  double seconds = 0;
  /// Number of floating-point operations.
  double flops = 0;
};

/// Work of one kernel task queue under the policy ktq.
struct QueueReport {
  /// Queue: "inst" (each task runs at once on the worker that released it), "tpq" (tasks run side
  /// by side) or "dpq" (each task runs on several workers together).
  std::string queue;
  /// Number of tasks in the queue.
  Count tasks = 0;
  /// Time of the tasks, in seconds, summed over the workers.
  double seconds = 0;
};

/// Number of tasks in the queues of all workers of a rank under the policy fanout (Bellavita et
/// al., symPACK, 2023, section 3.4). The fastest factorization is divided into up to 64 equal
/// intervals. There is one sample of each queue per interval, taken in its middle.
struct QueueSizesReport {
  /// Number of the rank; 0 if there is only one.
  Index rank = 0;
  /// Length of an interval, in seconds.
  double interval_seconds = 0;
  /// Number of tasks in the local task queues, per sample. These tasks are submitted and wait for
  /// other tasks.
  std::vector<Count> ltq;
  /// Number of tasks in the ready task queues, per sample. These tasks wait only for a worker.
  std::vector<Count> rtq;
};

/// Work of the accelerators in the fastest factorization, on all ranks or on one rank.
struct OffloadReport {
  /// Share of the floating-point operations that accelerators performed, from 0 to 1.
  double fraction = 0;
  /// Share of the floating-point operations that the policy halo planned for devices, from 0 to 1.
  double planned_fraction = 0;
  /// Planned share divided by the share that the policy would plan if device memory had no limit.
  double kept = 0;
  /// Time of choosing the share, in seconds, on the slowest rank. It includes building all graphs
  /// that were compared, except the graph that is used.
  double plan_seconds = 0;
  /// Planned peak memory on the fullest device under the policy halo, in bytes: shadows (buffers
  /// that collect updates), and the tiles that are read for these updates. If device memory is
  /// limited, the tiles use at most the memory that the shadows leave. They use more only if the
  /// device's workers need more at the same time.
  Count device_bytes = 0;
  /// Source of the devices' costs in the plan: "calibrated", or "analytic" for built-in estimates.
  std::string costs{};
  /// Lower bound of the time of the factorization on this machine, in seconds, on the slowest rank.
  /// It is predicted by the costs in `costs`, for host and devices together. The prediction assumes
  /// that no worker is ever idle, that nothing is copied, and that StarPU has no overhead. This
  /// bound divided by the time of a factorization is the efficiency.
  double bound_seconds = 0;
  /// Offload efficiency of HALO (equation 7) for a factorization of t seconds:
  /// 1 - (device_idle_seconds + host_idle_seconds) / (2 t). It is 1 if neither host nor devices are
  /// ever idle. It is 1/2 if the host is always idle and the devices never are, or the reverse.
  double efficiency = 0;
  /// Share of the time of all workers, of host and devices, in which they ran tasks, from 0 to 1.
  double busy_share = 0;
  /// Time without tasks, in seconds, on average over the CPU workers.
  double host_idle_seconds = 0;
  /// Time without tasks, in seconds, on average over the workers of accelerators.
  double device_idle_seconds = 0;
  /// Time of panel factorization, in seconds, on average over the CPU workers (t_pf in Table III of
  /// HALO). It consists of the tasks D and F, and of the predicted share of D and F in subtrees.
  double panel_seconds = 0;
  /// `panel_seconds` divided by the time of the factorization.
  double panel_share = 0;
  /// Estimated time of all copies to and from accelerators, in seconds, one after another, on the
  /// slowest rank. The estimate uses the number and the bytes of the copies and the costs of the
  /// devices.
  double transfer_seconds = 0;
  /// Bytes that StarPU copied to accelerators.
  Count bytes_to_device = 0;
  /// Bytes that StarPU copied from accelerators.
  Count bytes_to_host = 0;
};

/// Work and memory of one of several ranks.
struct RankReport {
  /// Number of the rank, counted from 0.
  Index rank = 0;
  /// Name of the machine.
  std::string host;
  /// Number of CPU workers.
  Index cpu_workers = 0;
  /// Hardware threads to which the workers are bound, as the operating system numbers them.
  std::vector<Index> cores;
  /// Time of the tasks in the fastest factorization, in seconds, summed over the workers.
  double task_seconds = 0;
  /// Predicted time of these tasks, in seconds.
  double predicted_seconds = 0;
  /// Number of entries of A on this rank.
  Count entries = 0;
  /// Size of the rank's part of L, in bytes.
  Count factor_bytes = 0;
  /// Peak resident memory of the process, in bytes.
  Count peak_rss_bytes = 0;
  /// Peak memory of contributions and received data, in bytes.
  Count window_bytes = 0;
  /// Number of messages sent in the last factorization.
  Count messages = 0;
  /// Bytes in these messages.
  Count bytes = 0;
  /// Number of tiles and contributions in these messages; a tile counts once per receiving rank. If
  /// tasks are by blocks, the tiles are blocks. Under the policy fanout a message then has all
  /// blocks of one panel and owner.
  Count blocks_sent = 0;
  /// Number of these messages that left directly from the memory of a CUDA device, without a copy
  /// on the host.
  Count device_messages_sent = 0;
  /// Bytes in the messages of device_messages_sent.
  Count device_bytes_sent = 0;
  /// Number of messages received directly into the memory of a CUDA device, without a copy on the
  /// host.
  Count device_messages_received = 0;
  /// Bytes in the messages of device_messages_received.
  Count device_bytes_received = 0;
  /// Work of the rank's accelerators.
  OffloadReport offload;
};

/// Peak resident memory of the process up to the end of a phase.
struct PhaseMemory {
  /// Phase: "read", "ordering", "symbolic", "setup", "factor" or "solve".
  std::string phase;
  /// Peak resident memory so far, in bytes.
  Count peak_rss_bytes = 0;
};

/// Parallelism of a phase. It is filled only on request, such as by AnalysisOptions::record_work.
struct WorkReport {
  /// Work: time of the phase on one worker, in seconds.
  double seconds = 0;
  /// Span: time of the longest chain of dependent steps, in seconds.
  double span_seconds = 0;
  /// Time of a list schedule on the workers of the phase, in seconds, including the start of
  /// threads.
  double scheduled_seconds = 0;
};

/// Result of a search for a tuning of this matrix, between the ordering and the symbolic
/// factorization (`espalier solve --tune`).
struct TuneReport {
  /// Time of the search, in seconds.
  double seconds = 0;
  /// Number of tunings evaluated. It is 0 if two evaluations are estimated to take longer than
  /// three factorizations.
  Count tunings = 0;
  /// Predicted time of a factorization before the search, in seconds; 0 if nothing was evaluated.
  double predicted_before = 0;
  /// Predicted time of a factorization with the tuning found, in seconds. It equals
  /// `predicted_before` if the search found nothing better.
  double predicted_after = 0;
  /// Parameters in use after the search, by their names in a file of `espalier tune`. They are
  /// empty if there was no search.
  std::map<std::string, double> parameters;
};

/// Numbers of eigenvalues by their signs, see Factor::inertia().
struct InertiaReport {
  /// Number of positive eigenvalues.
  Index positive = 0;
  /// Number of negative eigenvalues.
  Index negative = 0;
  /// Number of eigenvalues that are zero except for rounding errors.
  Index zero = 0;
  /// Reliability: "exact" or "uncertain"; empty without a successful factorization.
  std::string status;
};

/// Factorization and solve with one of the shifts of `espalier solve --shift`.
struct ShiftReport {
  /// The shift.
  double shift = 0;
  /// Time of the fastest factorization with this shift, in seconds.
  double factor_seconds = 0;
  /// Time of the solve, in seconds, as in Report::solve.
  double solve_seconds = 0;
  /// Backward error of the solution, with the shifted matrix.
  double backward_error = 0;
  /// Inertia of the shifted matrix. The JSON report leaves it out, and the next two fields, too,
  /// unless the factorization was L J Lᵀ.
  InertiaReport inertia;
  /// Number of replaced pivots.
  Index perturbed = 0;
  /// Growth of the factorization, see Factor::growth().
  double growth = 0;
};

/// Report of a run. A field keeps its zero, or stays empty, until a phase fills it.
struct Report {
  /// Result of the run: "ok", "not_positive_definite", "wrong_pivot_sign" or "error".
  std::string status = "ok";
  /// Sentence that states the error; empty if there is none.
  std::string message;
  /// Warnings, one sentence each. A warning names something that the run could not use, such as a
  /// damaged calibration, and the remedy.
  std::vector<std::string> warnings;

  /// Configuration of a paper that the options follow. The JSON report leaves it out if there is
  /// none.
  Configuration configuration;
  /// The matrix A.
  struct {
    /// Name of the file without folder and extensions, or name of the generated matrix.
    std::string name;
    /// Number of rows and of columns.
    Index n = 0;
    /// Number of entries of the lower triangle.
    Count nnz_lower = 0;
    /// Number of entries that were added to an earlier entry at the same position.
    Count duplicates_summed = 0;
    /// Number of pairs (i, j), (j, i) that differed by rounding only and were averaged.
    Count mirrors_averaged = 0;
    /// Number of missing diagonal entries that were added to a pattern.
    Count diagonal_added = 0;
    /// Time of reading or generating the matrix, in seconds.
    double read_seconds = 0;
  } matrix;
  /// The fill-reducing ordering.
  struct {
    /// Method: "amd", "dissection", "metis", "scotch", "ptscotch", "natural" or "file".
    std::string method;
    /// Time of the ordering, in seconds, compression included.
    double seconds = 0;
    /// Parallelism of the ordering.
    WorkReport work;
  } ordering;
  /// The analysis of the values, for AnalysisOptions::matching.
  struct {
    /// Number of pairs of columns; -1 without matching.
    Index matched_pairs = -1;
  } analysis;
  /// The symbolic factorization.
  struct {
    /// Number of entries of L, explicit zeros included.
    Count nnz_l = 0;
    /// Number of floating-point operations of a factorization.
    double flops = 0;
    /// Number of supernodes of L.
    Count supernodes = 0;
    /// Number of blocks of all panels.
    Count blocks = 0;
    /// Time of the symbolic factorization, in seconds.
    double seconds = 0;
    /// Parallelism of the symbolic factorization.
    WorkReport work;
    /// Predicted time of a factorization, in seconds.
    double predicted_factor_seconds = 0;
    /// Predicted peak memory of the process, in bytes.
    Count predicted_peak_bytes = 0;
  } symbolic;
  /// The machine, or the machines of all ranks.
  struct {
    /// Name of the machine of the root.
    std::string host;
    /// Number of CPU workers of all ranks.
    Index cpu_workers = 0;
    /// Number of workers of CUDA devices of all ranks.
    Index cuda_workers = 0;
    /// Number of CUDA devices of all ranks. A device that several ranks share counts once per rank.
    Index cuda_devices = 0;
    /// Number of workers in other processes (coprocessors) of all ranks.
    Index coprocessor_workers = 0;
    /// Number of threads of these workers. It is greater than their number if all threads of a
    /// coprocessor do each task together.
    Index coprocessor_threads = 0;
    /// Number of ranks.
    Index ranks = 1;
    /// BLAS, and instruction set of Espalier's kernels.
    std::string blas;
  } machine;
  /// Distribution of the work among several ranks. An imbalance is the maximum over the ranks
  /// divided by the mean over the ranks.
  struct {
    /// Transfer engine: "StarPU-MPI", or empty if there is only one rank.
    std::string engine;
    /// Mapping: "proportional", "block-cyclic", "fan-both" or "3d".
    std::string mapping;
    /// Imbalance of the predicted times of the ranks.
    double work_imbalance = 1;
    /// Imbalance of memory: the entries of L and the data that belong to their columns.
    double memory_imbalance = 1;
    /// Imbalance of the times that the ranks spent in tasks, in the fastest factorization.
    double task_imbalance = 1;
    /// Number of messages that all ranks sent in the last factorization.
    Count messages = 0;
    /// Bytes in these messages.
    Count bytes = 0;
    /// Number of tiles and contributions in these messages, see RankReport::blocks_sent.
    Count blocks_sent = 0;
  } distribution;
  /// One entry per rank; empty if there is only one rank.
  std::vector<RankReport> ranks;
  /// The scheduling policy.
  struct {
    /// Name of the requested policy.
    std::string requested;
    /// Name of the policy that ran.
    std::string active;
    /// Values of the options of this policy, by their keys. The map is empty if the policy is not
    /// one of Espalier's. The JSON report leaves out an empty map.
    std::map<std::string, std::string> options;
    /// One entry per kernel task queue that had tasks in the fastest factorization. The list is
    /// empty if the policy has no such queues. The JSON report leaves out an empty list.
    std::vector<QueueReport> queues;
    /// Sizes of the queues under the policy fanout, one entry per rank. The JSON report leaves out
    /// an empty list.
    std::vector<QueueSizesReport> queue_sizes;
  } scheduler;
  /// Source of the predicted times.
  struct {
    /// Source: "calibrated", "shipped", "scaled" from the shipped table of another processor,
    /// "analytic" for built-in estimates, or "named" if RuntimeOptions::costs names the file.
    std::string source;
    /// File of the calibration, or name of the shipped table.
    std::string file;
    /// Date of the measurement (year-month-day); empty for built-in estimates.
    std::string date;
  } models;
  /// Source of the values of empty options.
  struct {
    /// Source: "tuned", "defaults", or "searched" if this run searched for them.
    std::string source;
    /// File of the tuning.
    std::string file;
  } tuning;
  /// Result of the search for a tuning. The JSON report leaves it out if there was no search.
  TuneReport tune;
  /// Tasks of a factorization: their number by kind, and their times.
  struct {
    /// Number of tasks that factor a diagonal block (POTRF).
    Count diagonal = 0;
    /// Number of tasks that solve for the rows below a diagonal block (TRSM).
    Count factor = 0;
    /// Number of tasks that update another panel (SYRK, GEMM).
    Count update = 0;
    /// Number of tasks that factor a whole small subtree, sequentially.
    Count subtree = 0;
    /// Number of tasks that add the contributions of a subtree to a panel above it.
    Count assemble = 0;
    /// Number of tasks that add a contribution of another rank, or the shadow of a device, to its
    /// target.
    Count reduce = 0;
    /// Number of tasks that set a tile to the entries of A; they exist only with accelerators.
    Count fill = 0;
    /// Number of tasks that StarPU gets. It is the sum of the above numbers, but smaller if the
    /// policy fanout joins tasks by blocks, and 0 if the calling thread runs all tasks.
    Count submitted = 0;
    /// Time of a task, in microseconds, on average in the fastest factorization.
    double mean_us = 0;
    /// Idle share of the workers' time in the fastest factorization, from 0 to 1. A worker is idle
    /// while all remaining tasks depend on running tasks. With several ranks, all time without
    /// tasks counts as idle, because workers also wait for messages.
    double idle_share = 0;
    /// Share of the workers' time that StarPU and the submission of tasks took in the fastest
    /// factorization, from 0 to 1. The rest is `idle_share` and the time of the tasks.
    double runtime_share = 0;
    /// Sum of |measured - predicted| over all tasks, divided by the sum of their measured times.
    double prediction_error = 0;
  } tasks;
  /// Work of all accelerators.
  OffloadReport offload;
  /// Work by kind of task and type of worker, in the fastest factorization.
  std::vector<KindReport> kinds;
  /// Operations by phase and type of worker, on all ranks.
  std::vector<OperationReport> operations;
  /// Work by width of panels, in ascending order of the widths that occur.
  std::vector<WidthReport> widths;
  /// The factorizations.
  struct {
    /// Time of the fastest factorization, in seconds.
    double seconds = 0;
    /// Speed of the fastest factorization, in 1e9 floating-point operations per second.
    double gflops = 0;
    /// Times of the last factorizations, in seconds, at most 100,000 of them.
    std::vector<double> runs;
    /// Granularity of the plan: "panel", "tile" or "block".
    std::string granularity;
    /// Kernels of the CPU workers: "auto", "own", "blas" or "mixed".
    std::string kernels;
    /// Kind of factorization: "llt" or "ldlt".
    std::string factorization;
    /// With Factorization::automatic, the time of the failed attempt of L Lᵀ before the first
    /// factorization L J Lᵀ, in seconds. It is 0 if a diagonal entry that is not positive made the
    /// attempt unnecessary, and -1 if L Lᵀ has not failed. The JSON report leaves out -1.
    double attempt_seconds = -1;
    /// The inertia of A after a successful factorization with Factorization::ldlt, see
    /// Factor::inertia(). The JSON report leaves it out otherwise, and the next three fields, too.
    InertiaReport inertia;
    /// Number of pivots that the regularization replaced.
    Index perturbed = 0;
    /// The first of their columns (0-based), at most 1000.
    std::vector<Index> perturbed_columns;
    /// Number of columns that were moved towards the root, because a factorization that chooses its
    /// pivots found none in their own panels.
    Index delayed = 0;
    /// Growth of the last factorization, see Factor::growth().
    double growth = 0;
    /// Lower bound of the time of any schedule of these tasks, in seconds. It is the larger of two
    /// predicted times: all work divided among all workers, and the longest path. Copies take no
    /// time in it. It is 0 for several ranks.
    double bound_seconds = 0;
    /// Time of the plan, the task list, the handles and the storage, in seconds, once for all
    /// factorizations.
    double setup_seconds = 0;
    /// Parallelism of this setup.
    WorkReport setup_work;
  } factor;
  /// The last solve.
  struct {
    /// Time of both triangular solves with their permutations, and of refinement steps if any were
    /// tried, in seconds. The time of the first residual is not included.
    double seconds = 0;
    /// Time of the first residual, which measures the error, in seconds. It includes the norm of A
    /// if that was not known yet.
    double residual_seconds = 0;
    /// Number of right-hand sides.
    Index nrhs = 0;
    /// Number of refinement steps that improved the solution.
    Index refinement_steps = 0;
    /// Share of the floating-point operations that devices performed, from 0 to 1.
    double offloaded = 0;
  } solve;
  /// Memory of the process, or of the root's process if there are several ranks.
  struct {
    /// Size of L on all ranks, in bytes.
    Count factor_bytes = 0;
    /// Peak resident memory of the process, in bytes.
    Count peak_rss_bytes = 0;
    /// Peak resident memory by phase, in the order of the phases.
    std::vector<PhaseMemory> phases;
  } memory;
  /// Quality of the last solution.
  struct {
    /// Backward error, see Solution::backward_error.
    double backward_error = 0;
  } solution;
  /// One entry per shift of `espalier solve --shift`, in the order of the option. The fields
  /// `solve`, `solution` and `factor` describe the last one, but the times in `factor` include all.
  /// The JSON report leaves out an empty list.
  std::vector<ShiftReport> shifts;
  /// Column that shows that A is not positive definite, or whose pivot has the wrong sign
  /// (0-based), see FactorStatus::bad_column; -1 if there is none.
  Index bad_column = -1;
};

}  // namespace espalier
