// SPDX-License-Identifier: BSD-3-Clause

#include <nlohmann/json.hpp>

#include "espalier/espalier.hpp"

namespace espalier {

/// Writes these fields in this order. NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE has the same parts, but up
/// to version 3.11 it only supports JSON without an order.
#define ESPALIER_JSON_FIELDS(Type, ...)                                                       \
  static void to_json(nlohmann::ordered_json& nlohmann_json_j, const Type& nlohmann_json_t) { \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                  \
  }

ESPALIER_JSON_FIELDS(KindReport, kind, worker, count, seconds, flops, predicted_seconds)
ESPALIER_JSON_FIELDS(OperationReport, operation, phase, worker, count, flops)
ESPALIER_JSON_FIELDS(WidthReport, least, most, panels, seconds, flops)
ESPALIER_JSON_FIELDS(QueueReport, queue, tasks, seconds)
ESPALIER_JSON_FIELDS(QueueSizesReport, rank, interval_seconds, ltq, rtq)
ESPALIER_JSON_FIELDS(OffloadReport, fraction, planned_fraction, kept, plan_seconds, device_bytes,
                     costs, bound_seconds, efficiency, busy_share, host_idle_seconds,
                     device_idle_seconds, panel_seconds, panel_share, transfer_seconds,
                     bytes_to_device, bytes_to_host)
ESPALIER_JSON_FIELDS(RankReport, rank, host, cpu_workers, cores, task_seconds, predicted_seconds,
                     entries, factor_bytes, peak_rss_bytes, window_bytes, messages, bytes,
                     blocks_sent, device_messages_sent, device_bytes_sent, device_messages_received,
                     device_bytes_received, offload)
ESPALIER_JSON_FIELDS(WorkReport, seconds, span_seconds, scheduled_seconds)
ESPALIER_JSON_FIELDS(TuneReport, seconds, tunings, predicted_before, predicted_after, parameters)
ESPALIER_JSON_FIELDS(PhaseMemory, phase, peak_rss_bytes)
ESPALIER_JSON_FIELDS(decltype(Report::matrix), name, n, nnz_lower, duplicates_summed,
                     mirrors_averaged, diagonal_added, read_seconds)
ESPALIER_JSON_FIELDS(decltype(Report::ordering), method, seconds, work)
ESPALIER_JSON_FIELDS(decltype(Report::symbolic), nnz_l, flops, supernodes, blocks, seconds, work,
                     predicted_factor_seconds, predicted_peak_bytes)
ESPALIER_JSON_FIELDS(decltype(Report::machine), host, cpu_workers, cuda_workers, cuda_devices,
                     coprocessor_workers, coprocessor_threads, ranks, blas)
ESPALIER_JSON_FIELDS(decltype(Report::distribution), engine, mapping, work_imbalance,
                     memory_imbalance, task_imbalance, messages, bytes, blocks_sent)
ESPALIER_JSON_FIELDS(decltype(Report::models), source, file, date)
ESPALIER_JSON_FIELDS(decltype(Report::tuning), source, file)
ESPALIER_JSON_FIELDS(decltype(Report::scheduler), requested, active)
ESPALIER_JSON_FIELDS(decltype(Report::tasks), diagonal, factor, update, subtree, assemble, reduce,
                     fill, submitted, mean_us, idle_share, prediction_error, runtime_share)
ESPALIER_JSON_FIELDS(InertiaReport, positive, negative, zero, status)
ESPALIER_JSON_FIELDS(ShiftReport, shift, factor_seconds, solve_seconds, backward_error, inertia,
                     perturbed, growth)
ESPALIER_JSON_FIELDS(decltype(Report::factor), seconds, gflops, runs, granularity, kernels,
                     factorization, attempt_seconds, inertia, perturbed, perturbed_columns, delayed,
                     growth, bound_seconds, setup_seconds, setup_work)
ESPALIER_JSON_FIELDS(decltype(Report::solve), seconds, residual_seconds, nrhs, refinement_steps,
                     offloaded)
ESPALIER_JSON_FIELDS(decltype(Report::memory), factor_bytes, peak_rss_bytes, phases)
ESPALIER_JSON_FIELDS(decltype(Report::solution), backward_error)
ESPALIER_JSON_FIELDS(Report, status, message, warnings, matrix, ordering, symbolic, machine,
                     distribution, ranks, models, tuning, scheduler, tasks, kinds, operations,
                     widths, factor, solve, memory, offload, solution)

#undef ESPALIER_JSON_FIELDS

/// Erases the fields about pivots of a factorization that has no inertia.
static void erase_unknown_pivots(const InertiaReport& inertia, nlohmann::ordered_json& entry) {
  if (!inertia.status.empty()) return;
  for (const char* const name :
       {"inertia", "perturbed", "perturbed_columns", "delayed", "growth"}) {
    entry.erase(name);
  }
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json;
  json["espalier"] = version();
  to_json(json, report);
  erase_unknown_pivots(report.factor.inertia, json["factor"]);
  if (report.factor.attempt_seconds < 0) json["factor"].erase("attempt_seconds");
  for (const ShiftReport& shift : report.shifts) {
    nlohmann::ordered_json entry = shift;
    erase_unknown_pivots(shift.inertia, entry);
    json["shifts"].push_back(std::move(entry));
  }
  if (const Index pairs = report.analysis.matched_pairs; pairs >= 0) {
    json["analysis"] = {{"matched_pairs", pairs}};
  }
  if (!report.tune.parameters.empty()) json["tune"] = report.tune;
  if (const Configuration& followed = report.configuration; !followed.name.empty()) {
    json["configuration"] = {{"name", followed.name}, {"overridden", followed.overridden}};
  }
  const auto& scheduler = report.scheduler;
  if (!scheduler.options.empty()) json["scheduler"]["options"] = scheduler.options;
  if (!scheduler.queues.empty()) json["scheduler"]["queues"] = scheduler.queues;
  if (!scheduler.queue_sizes.empty()) json["scheduler"]["queue_sizes"] = scheduler.queue_sizes;
  const char* const failed =
      report.factor.factorization == "ldlt" ? "wrong_pivot_sign" : "not_positive_definite";
  if (report.bad_column >= 0) json[failed] = {{"column", report.bad_column}};
  // Names of files may contain bytes that are not valid UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

const char* version() { return ESPALIER_VERSION; }

}  // namespace espalier
