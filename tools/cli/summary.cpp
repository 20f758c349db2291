// SPDX-License-Identifier: BSD-3-Clause

#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/memory.hpp"
#include "base/operations.hpp"
#include "base/printable.hpp"
#include "base/readable.hpp"
#include "base/task_kind.hpp"
#include "cli/outputs.hpp"
#include "codelets/cpu/blas.hpp"
#include "perfmodels/device_file.hpp"
#include "report/factor_report.hpp"

namespace espalier::internal {

namespace {

/// Returns the time of ordering, of the search for a tuning, and of the symbolic factorization.
double analysis_seconds(const Report& r) {
  return r.ordering.seconds + r.tune.seconds + r.symbolic.seconds;
}

/// Returns the time from a matrix in memory to a solution, with the first factorization.
double seconds_to_solution(const Report& r) {
  return analysis_seconds(r) + r.factor.setup_seconds + std::max(r.factor.attempt_seconds, 0.0) +
         r.factor.runs.front() + r.solve.seconds;
}

void print_line(std::FILE* to, std::string_view name, const std::string& text) {
  fmt::print(to, "{:<11}{}\n", name, printable(text));
}

void print_matrix(std::FILE* to, const Report& r) {
  print_line(to, "matrix",
             fmt::format("{}: {}, {} in the lower triangle, read in {}", r.matrix.name,
                         counted(r.matrix.n, "row"), readable_entries(r.matrix.nnz_lower),
                         readable_seconds(r.matrix.read_seconds)));
  if (r.matrix.duplicates_summed > 0 || r.matrix.mirrors_averaged > 0) {
    print_line(to, "",
               fmt::format("{} duplicate entries summed, {} pairs averaged that differed by "
                           "rounding",
                           r.matrix.duplicates_summed, r.matrix.mirrors_averaged));
  }
  if (r.matrix.diagonal_added > 0) {
    print_line(to, "", fmt::format("{} missing diagonal entries added", r.matrix.diagonal_added));
  }
}

/// Prints the configuration that the options follow, if there is one.
void print_configuration(std::FILE* to, const Report& r) {
  const Configuration& followed = r.configuration;
  if (followed.name.empty()) return;
  const std::string except = followed.overridden.empty()
                                 ? ""
                                 : fmt::format(", except {}", fmt::join(followed.overridden, ", "));
  print_line(to, "method", fmt::format("follows {}{}", followed.name, except));
}

void print_structure(std::FILE* to, const Report& r, Detail detail) {
  const double fill = static_cast<double>(r.symbolic.nnz_l) /
                      static_cast<double>(std::max(r.matrix.nnz_lower, Count{1}));
  print_line(to, "factor",
             fmt::format("{} ({:.3g} times the matrix), {}", readable_entries(r.symbolic.nnz_l),
                         fill, readable_amount(r.symbolic.flops, "flop")));
  if (detail == Detail::everyday) return;
  print_line(to, "",
             fmt::format("{}, {}", counted(r.symbolic.supernodes, "supernode"),
                         counted(r.symbolic.blocks, "block")));
}

/// Prints the inertia of an indefinite matrix. For several shifts, print_shifts() prints theirs.
void print_inertia(std::FILE* to, const Report& r) {
  if (r.factor.factorization != "ldlt" || r.shifts.size() > 1) return;
  const InertiaReport& inertia = r.factor.inertia;
  const std::string replaced =
      r.factor.perturbed > 0 ? fmt::format("; {} replaced", counted(r.factor.perturbed, "pivot"))
                             : "";
  print_line(
      to, "inertia",
      fmt::format("{} positive, {} negative, {} zero ({}); growth {:.2g}{}", inertia.positive,
                  inertia.negative, inertia.zero, inertia.status, r.factor.growth, replaced));
}

/// Prints one line per shift if there are several.
void print_shifts(std::FILE* to, const Report& r) {
  if (r.shifts.size() < 2) return;
  for (const ShiftReport& shift : r.shifts) {
    const InertiaReport& inertia = shift.inertia;
    const std::string below =
        inertia.status.empty()
            ? "positive definite"
            : fmt::format("{} positive, {} negative, {} zero ({})", inertia.positive,
                          inertia.negative, inertia.zero, inertia.status);
    print_line(to, &shift == r.shifts.data() ? "shifts" : "",
               fmt::format("{}: {}; {}, backward error {:.2g}", shift.shift, below,
                           readable_seconds(shift.factor_seconds), shift.backward_error));
  }
}

void print_analysis_times(std::FILE* to, const Report& r) {
  print_line(
      to, "analyze",
      fmt::format("{}: ordering {} ({}), symbolic factorization {}",
                  readable_seconds(analysis_seconds(r)), readable_seconds(r.ordering.seconds),
                  r.ordering.method, readable_seconds(r.symbolic.seconds)));
}

/// Prints the result of a search for a tuning, if there was a search.
void print_tuning(std::FILE* to, const Report& r) {
  const TuneReport& tune = r.tune;
  if (tune.parameters.empty()) return;
  if (tune.tunings == 0) {
    return print_line(to, "tuned", "not at all: a search would take longer than a factorization");
  }
  const bool better = tune.predicted_after < tune.predicted_before;
  print_line(to, "tuned",
             fmt::format("{} in {}: {} predicted, {}", counted(tune.tunings, "evaluation"),
                         readable_seconds(tune.seconds), readable_seconds(tune.predicted_after),
                         better ? readable_seconds(tune.predicted_before) + " before"
                                : "nothing better was found"));
}

void print_tasks(std::FILE* to, const Report& r) {
  Count all = 0;
  std::string list;
  for (std::size_t kind = 0; kind < task_counts.size(); ++kind) {
    const Count count = r.tasks.*task_counts[kind];
    all += count;
    if (count > 0) {
      list += fmt::format("{}{} {}", list.empty() ? ": " : ", ", count, task_kind_table[kind].name);
    }
  }
  print_line(to, "tasks", fmt::format("{}{}", all, list));
}

Index threads_of_coprocessor_worker(const Report& r) {
  return r.machine.coprocessor_threads / std::max<Index>(r.machine.coprocessor_workers, 1);
}

/// Prints how many of the tasks of each kind ran on devices.
void print_offload(std::FILE* to, const Report& r, Detail detail) {
  if (r.machine.coprocessor_workers + r.machine.cuda_workers == 0) return;
  std::string list;
  for (const KindReport& there : r.kinds) {
    if (there.worker == "cpu") continue;
    Count all = 0;
    for (const KindReport& kind : r.kinds) all += kind.kind == there.kind ? kind.count : 0;
    list += fmt::format("{}{} {} of {}", list.empty() ? "" : ", ", there.kind, there.count, all);
  }
  print_line(to, "offload",
             fmt::format("{:.1f} % of the flops{}{}", 100 * r.offload.fraction,
                         list.empty() ? "" : ": ", list));
  const auto& offload = r.offload;
  if (offload.costs == "analytic") {
    print_line(
        to, "",
        fmt::format(
            "the plan {} devices by built-in estimates; to measure them, run "
            "'espalier calibrate --workers {} {} N'",
            offload.planned_fraction > 0 ? "uses" : "leaves out", r.machine.cpu_workers,
            options_that_calibrate(r.machine.cuda_workers > 0, threads_of_coprocessor_worker(r))));
  }
  if (offload.planned_fraction == 0 || detail == Detail::everyday) return;
  print_line(
      to, "",
      fmt::format("{:.1f} % planned, which is {:.0f} % of the plan for unlimited memory; all "
                  "workers busy for {:.0f} % of the time; {} to devices, {} from devices",
                  100 * offload.planned_fraction, 100 * offload.kept, 100 * offload.busy_share,
                  readable_bytes(offload.bytes_to_device), readable_bytes(offload.bytes_to_host)));
}

void print_queues(std::FILE* to, const Report& r) {
  std::string line;
  for (const QueueReport& queue : r.scheduler.queues) {
    line += fmt::format("{}{}: {} in {:.3g} s", line.empty() ? "" : ", ", queue.queue,
                        counted(queue.tasks, "task"), queue.seconds);
  }
  if (!line.empty()) print_line(to, "", line);
}

/// Prints the numbers of HALO's Table III if devices ran anything.
void print_offload_times(std::FILE* to, const Report& r) {
  const OffloadReport& o = r.offload;
  if (o.fraction == 0 || r.factor.seconds == 0) return;
  const auto share = [&](double seconds) { return 100 * seconds / r.factor.seconds; };
  print_line(
      to, "",
      fmt::format("offload efficiency {:.1f} %: the host is idle for {} ({:.1f} %), devices for "
                  "{} ({:.1f} %)",
                  100 * o.efficiency, readable_seconds(o.host_idle_seconds),
                  share(o.host_idle_seconds), readable_seconds(o.device_idle_seconds),
                  share(o.device_idle_seconds)));
  print_line(to, "",
             fmt::format("panels take the host {} ({:.1f} %), copies {} ({:.1f} %, estimated)",
                         readable_seconds(o.panel_seconds), 100 * o.panel_share,
                         readable_seconds(o.transfer_seconds), share(o.transfer_seconds)));
}

/// Prints how often each type of worker ran each operation, if devices ran any.
void print_operations(std::FILE* to, const Report& r) {
  const auto& all = r.operations;
  if (std::ranges::all_of(all, [](const auto& done) { return done.worker == "cpu"; })) return;
  print_line(to, "operations",
             fmt::format("{:<20}{:>10}{:>10}{:>10}{:>10}", "", "POTRF", "TRSM", "SYRK", "GEMM"));
  for (const char* phase : {"factor", "solve"}) {
    for (const char* worker : {"cpu", "coprocessor", "cuda"}) {
      std::array<Count, operations> counts{};
      for (const OperationReport& done : all) {
        if (done.phase != phase || done.worker != worker) continue;
        const auto at = std::ranges::find(operation_names, done.operation);
        counts[static_cast<std::size_t>(at - operation_names.begin())] = done.count;
      }
      if (counts == std::array<Count, operations>{}) continue;
      std::string line = fmt::format("{:<20}", fmt::format("{} on {}", phase, worker));
      for (const Count count : counts) line += fmt::format("{:>10}", count);
      print_line(to, "", line);
    }
  }
}

std::string workers_of(const Report& r) {
  std::string workers = counted(r.machine.cpu_workers, "CPU worker");
  const auto add = [&](Index count, std::string_view type) {
    if (count > 0) workers += " and " + counted(count, type);
  };
  add(r.machine.coprocessor_workers, "coprocessor worker");
  if (const Index threads = threads_of_coprocessor_worker(r); threads > 1) {
    workers += fmt::format(" of {} threads", threads);
    if (r.machine.coprocessor_workers > 1) workers += " each";
  }
  add(r.machine.cuda_workers, "CUDA worker");
  return workers;
}

void print_machine(std::FILE* to, const Report& r, Detail detail) {
  const auto& asked = r.scheduler;
  std::string scheduler = asked.active;
  if (asked.requested != asked.active)
    scheduler += fmt::format(" (requested: {})", asked.requested);
  print_line(to, "machine",
             fmt::format("{}: {}, scheduler {}", r.machine.host, workers_of(r), scheduler));
  if (detail == Detail::all) print_line(to, "", r.machine.blas);
  if (const std::string advice = blas_advice(); !advice.empty()) print_line(to, "", advice);
}

/// Prints how tasks were made, and the share of the workers' time that no task took.
void print_granularity(std::FILE* to, const Report& r) {
  if (r.tasks.mean_us == 0) return;
  print_line(to, "",
             fmt::format("one task per {}, {} on average", r.factor.granularity,
                         readable_seconds(r.tasks.mean_us * 1e-6)));
}

void print_ranks(std::FILE* to, const Report& r) {
  if (r.ranks.empty()) return;
  print_line(to, "ranks",
             fmt::format("{}, {}; imbalance of work {:.2f} (predicted), of memory {:.2f}",
                         r.machine.ranks, r.distribution.mapping, r.distribution.work_imbalance,
                         r.distribution.memory_imbalance));
  print_line(to, "",
             fmt::format("{} with {} per factorization, by {}",
                         counted(r.distribution.messages, "message"),
                         readable_bytes(r.distribution.bytes), r.distribution.engine));
  Count from_devices = 0;
  Count into_devices = 0;
  for (const RankReport& rank : r.ranks) {
    from_devices += rank.device_bytes_sent;
    into_devices += rank.device_bytes_received;
  }
  if (from_devices + into_devices == 0) return;
  print_line(
      to, "",
      fmt::format("{} of these bytes were sent directly from devices, {} received directly by "
                  "devices",
                  readable_bytes(from_devices), readable_bytes(into_devices)));
}

/// Returns the time and the rate of the fastest factorization.
std::string factorization_of(const Report& r) {
  std::string text = fmt::format("{}, {}/s", readable_seconds(r.factor.seconds),
                                 readable_amount(r.factor.gflops * 1e9, "flop"));
  if (r.factor.runs.size() > 1) {
    text += fmt::format("; the fastest of {} runs, the first took {}", r.factor.runs.size(),
                        readable_seconds(r.factor.runs.front()));
  }
  if (r.tasks.mean_us == 0) return text;
  return text + fmt::format("; StarPU overhead {:.1f} %, idle {:.1f} %",
                            100 * r.tasks.runtime_share, 100 * r.tasks.idle_share);
}

void print_times(std::FILE* to, const Report& r, Detail detail) {
  const auto& runs = r.factor.runs;
  print_line(to, "set-up", readable_seconds(r.factor.setup_seconds));
  print_line(to, "factorize", factorization_of(r));
  if (const double seconds = r.factor.attempt_seconds; seconds > 0) {
    print_line(to, "",
               fmt::format("LDLᵀ, because L Lᵀ failed after {}", readable_seconds(seconds)));
  } else if (seconds == 0) {
    print_line(to, "", "LDLᵀ, because a diagonal entry is not positive");
  }
  if (detail == Detail::all && runs.size() > 1) {
    print_line(to, "", fmt::format("all runs: {:.3g} s", fmt::join(runs, " ")));
  }
  print_line(to, "solve",
             fmt::format("{} for {}, {}", readable_seconds(r.solve.seconds),
                         counted(r.solve.nrhs, "right-hand side"),
                         counted(r.solve.refinement_steps, "refinement step")));
}

/// Returns the mean error of the predicted times of tasks, empty if no task was measured.
std::string prediction_error_of(const Report& r) {
  if (r.tasks.prediction_error == 0) return "";
  return fmt::format("; predicted times are off by {:.0f} %", 100 * r.tasks.prediction_error);
}

/// Prints the source of predicted times: always in detail, else only if measuring would help.
void print_time_model(std::FILE* to, const Report& r, Detail detail) {
  const bool measured = r.models.source == "calibrated" || r.models.source == "simulated";
  if (measured && detail == Detail::everyday) return;
  print_line(to, "time model",
             source_of_costs(r.models.source, r.models.file, r.models.date) +
                 (measured ? ""
                           : prediction_error_of(r) +
                                 "; for better predictions run 'espalier calibrate'"));
}

std::string percent_bar(Count part, Count whole) {
  constexpr double widest = 50;
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  const auto width = static_cast<std::size_t>(std::lround(share * widest));
  return std::string(part > 0 ? std::max<std::size_t>(width, 1) : 0, '#');
}

}  // namespace

void print_warnings(const std::vector<std::string>& warnings) {
  for (auto warning = warnings.begin(); warning != warnings.end(); ++warning) {
    if (warning->empty() || std::find(warnings.begin(), warning, *warning) != warning) continue;
    fmt::print(stderr, "espalier: warning: {}\n", message_line(*warning));
  }
}

void print_solve_summary(const Report& r, const std::string& solution_file, Detail detail) {
  std::FILE* const to = solution_file == standard_output ? stderr : stdout;
  const bool all = detail == Detail::all;
  print_matrix(to, r);
  print_configuration(to, r);
  print_structure(to, r, detail);
  if (all) print_tasks(to, r);
  if (all) print_granularity(to, r);
  print_machine(to, r, detail);
  if (all) print_queues(to, r);
  print_offload(to, r, detail);
  if (all) print_offload_times(to, r);
  if (all) print_operations(to, r);
  print_ranks(to, r);
  print_time_model(to, r, detail);
  print_analysis_times(to, r);
  print_tuning(to, r);
  print_times(to, r, detail);
  print_inertia(to, r);
  print_shifts(to, r);
  print_line(to, "memory",
             fmt::format("{} at the peak (predicted {}), factor {}",
                         readable_bytes(r.memory.peak_rss_bytes),
                         readable_bytes(r.symbolic.predicted_peak_bytes),
                         readable_bytes(r.memory.factor_bytes)));
  const std::string where = solution_file.empty() ? "" : ", written to " + solution_file;
  print_line(
      to, "solution",
      fmt::format("{} from the matrix to the solution, backward error {:.2g}{}",
                  readable_seconds(seconds_to_solution(r)), r.solution.backward_error, where));
  print_warnings(r.warnings);
}

void print_analysis_summary(const Report& r, Detail detail) {
  std::FILE* const to = stdout;
  print_matrix(to, r);
  print_configuration(to, r);
  print_structure(to, r, detail);
  print_tasks(to, r);
  print_analysis_times(to, r);
  print_line(to, "predicted",
             fmt::format("factorization {} with {}; memory {} (factor {})",
                         readable_seconds(r.symbolic.predicted_factor_seconds),
                         counted(r.machine.cpu_workers, "CPU worker"),
                         readable_bytes(r.symbolic.predicted_peak_bytes),
                         readable_bytes(r.memory.factor_bytes)));
  print_time_model(to, r, Detail::all);
  print_warnings(r.warnings);
}

void print_histogram(const std::string& title, const std::vector<std::string>& labels,
                     const std::vector<Count>& bins) {
  if (bins.empty()) return;
  const Count all = std::accumulate(bins.begin(), bins.end(), Count{0});
  fmt::print("\n{}\n", title);
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const std::string bar = percent_bar(bins[k], all);
    fmt::print("{:>15} {:>8}{}{}\n", labels.at(k), bins[k], bar.empty() ? "" : " ", bar);
  }
}

}  // namespace espalier::internal
