// SPDX-License-Identifier: BSD-3-Clause

#include <nlohmann/json.hpp>

#include "espalier/espalier.hpp"

namespace espalier {

namespace {

using Json = nlohmann::ordered_json;

Json kinds_of(const Report& report) {
  Json kinds = Json::array();
  for (const KindReport& kind : report.kinds) {
    kinds.push_back({{"kind", kind.kind},
                     {"worker", kind.worker},
                     {"count", kind.count},
                     {"seconds", kind.seconds},
                     {"flops", kind.flops},
                     {"predicted_seconds", kind.predicted_seconds}});
  }
  return kinds;
}

Json widths_of(const Report& report) {
  Json widths = Json::array();
  for (const WidthReport& width : report.widths) {
    widths.push_back({{"least", width.least},
                      {"most", width.most},
                      {"panels", width.panels},
                      {"seconds", width.seconds},
                      {"flops", width.flops}});
  }
  return widths;
}

Json offload_of(const OffloadReport& offload) {
  return {{"fraction", offload.fraction},
          {"planned_fraction", offload.planned_fraction},
          {"kept", offload.kept},
          {"plan_seconds", offload.plan_seconds},
          {"device_bytes", offload.device_bytes},
          {"costs", offload.costs},
          {"bound_seconds", offload.bound_seconds},
          {"efficiency", offload.efficiency},
          {"host_idle_seconds", offload.host_idle_seconds},
          {"device_idle_seconds", offload.device_idle_seconds},
          {"bytes_to_device", offload.bytes_to_device},
          {"bytes_to_host", offload.bytes_to_host}};
}

Json ranks_of(const Report& report) {
  Json ranks = Json::array();
  for (const RankReport& rank : report.ranks) {
    ranks.push_back({{"rank", rank.rank},
                     {"host", rank.host},
                     {"cpu_workers", rank.cpu_workers},
                     {"cores", rank.cores},
                     {"task_seconds", rank.task_seconds},
                     {"predicted_seconds", rank.predicted_seconds},
                     {"entries", rank.entries},
                     {"factor_bytes", rank.factor_bytes},
                     {"peak_rss_bytes", rank.peak_rss_bytes},
                     {"window_bytes", rank.window_bytes},
                     {"messages", rank.messages},
                     {"bytes", rank.bytes},
                     {"offload", offload_of(rank.offload)}});
  }
  return ranks;
}

Json tasks_of(const Report& r) {
  return {{"diagonal", r.tasks.diagonal},
          {"factor", r.tasks.factor},
          {"update", r.tasks.update},
          {"subtree", r.tasks.subtree},
          {"assemble", r.tasks.assemble},
          {"reduce", r.tasks.reduce},
          {"fill", r.tasks.fill},
          {"mean_us", r.tasks.mean_us},
          {"idle_share", r.tasks.idle_share},
          {"prediction_error", r.tasks.prediction_error},
          {"runtime_share", r.tasks.runtime_share}};
}

Json symbolic_of(const Report& r) {
  return {{"nnz_l", r.symbolic.nnz_l},
          {"flops", r.symbolic.flops},
          {"supernodes", r.symbolic.supernodes},
          {"blocks", r.symbolic.blocks},
          {"seconds", r.symbolic.seconds},
          {"predicted_factor_seconds", r.symbolic.predicted_factor_seconds},
          {"predicted_peak_bytes", r.symbolic.predicted_peak_bytes}};
}

Json phases_of(const Report& report) {
  Json phases = Json::array();
  for (const PhaseMemory& memory : report.memory.phases) {
    phases.push_back({{"phase", memory.phase}, {"peak_rss_bytes", memory.peak_rss_bytes}});
  }
  return phases;
}

}  // namespace

std::string to_json(const Report& r) {
  Json json;
  json["espalier"] = version();
  json["status"] = r.status;
  json["message"] = r.message;
  json["matrix"] = {{"name", r.matrix.name},
                    {"n", r.matrix.n},
                    {"nnz_lower", r.matrix.nnz_lower},
                    {"duplicates_summed", r.matrix.duplicates_summed},
                    {"mirrors_averaged", r.matrix.mirrors_averaged},
                    {"read_seconds", r.matrix.read_seconds}};
  json["ordering"] = {{"method", r.ordering.method}, {"seconds", r.ordering.seconds}};
  json["symbolic"] = symbolic_of(r);
  json["machine"] = {{"host", r.machine.host},
                     {"cpu_workers", r.machine.cpu_workers},
                     {"cuda_workers", r.machine.cuda_workers},
                     {"coprocessor_workers", r.machine.coprocessor_workers},
                     {"ranks", r.machine.ranks},
                     {"blas", r.machine.blas}};
  json["distribution"] = {{"mapping", r.distribution.mapping},
                          {"work_imbalance", r.distribution.work_imbalance},
                          {"memory_imbalance", r.distribution.memory_imbalance},
                          {"task_imbalance", r.distribution.task_imbalance},
                          {"messages", r.distribution.messages},
                          {"bytes", r.distribution.bytes}};
  json["ranks"] = ranks_of(r);
  json["models"] = {{"source", r.models.source}, {"file", r.models.file}};
  json["tuning"] = {{"source", r.tuning.source}, {"file", r.tuning.file}};
  json["scheduler"] = {{"requested", r.scheduler.requested}, {"active", r.scheduler.active}};
  json["tasks"] = tasks_of(r);
  json["kinds"] = kinds_of(r);
  json["widths"] = widths_of(r);
  json["factor"] = {{"seconds", r.factor.seconds},
                    {"gflops", r.factor.gflops},
                    {"runs", r.factor.runs},
                    {"granularity", r.factor.granularity},
                    {"setup_seconds", r.factor.setup_seconds}};
  json["solve"] = {{"seconds", r.solve.seconds},
                   {"nrhs", r.solve.nrhs},
                   {"refinement_steps", r.solve.refinement_steps},
                   {"offloaded", r.solve.offloaded}};
  json["memory"] = {{"factor_bytes", r.memory.factor_bytes},
                    {"peak_rss_bytes", r.memory.peak_rss_bytes},
                    {"phases", phases_of(r)}};
  json["offload"] = offload_of(r.offload);
  json["solution"] = {{"backward_error", r.solution.backward_error}};
  if (r.bad_column >= 0) json["not_positive_definite"] = {{"column", r.bad_column}};
  // Names of files may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const char* version() { return ESPALIER_VERSION; }

}  // namespace espalier
