// SPDX-License-Identifier: BSD-3-Clause
#include "chart/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/command_line.hpp"
#include "base/memory.hpp"
#include "base/readable.hpp"
#include "chart/charts.hpp"
#include "chart/svg.hpp"
#include "espalier/espalier.hpp"

namespace espalier {

namespace internal {

namespace {

constexpr const char* style = R"(
body { font-family: sans-serif; color: #222222; max-width: 1240px; margin: 1.5em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 0.25em 0.9em; text-align: right; border-bottom: 1px solid #dddddd; }
th:first-child, td:first-child { text-align: left; }
.facts td { text-align: left; }
.wide { overflow-x: auto; }
figure { margin: 1em 0; }
.provenance { color: #555555; font-size: 0.9em; border-top: 1px solid #dddddd; padding-top: 0.5em; overflow-wrap: anywhere; }
figcaption { color: #555555; font-size: 0.9em; max-width: 60em; }
@media (prefers-color-scheme: dark) {
  body { background: #1b1b1b; color: #dddddd; }
  th, td { border-color: #444444; }
  figcaption, .provenance { color: #aaaaaa; border-color: #444444; }
  figure svg { fill: #dddddd; }
  figure svg > rect[width="100%"] { fill: #1b1b1b; }
  figure svg .axis { fill: #aaaaaa; }
  figure svg line[stroke="#dddddd"] { stroke: #444444; }
  figure svg line:is([stroke="#222222"], [stroke="#000000"]) { stroke: #dddddd; }
  figure svg [fill="#332288"] { fill: #8877dd; }
  figure svg [stroke="#332288"] { stroke: #8877dd; }
}
.side { display: flex; flex-wrap: wrap; gap: 20px; }
.side figure { width: 380px; margin: 0; }
svg { max-width: 100%; height: auto; }
)";

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", name, xml_text(value));
}

std::string machine_of(const Report& r) {
  std::string workers = r.machine.host + ", " + counted(r.machine.cpu_workers, "CPU worker");
  for (const auto& [count, type] : {std::pair(r.machine.coprocessor_workers, "coprocessor worker"),
                                    std::pair(r.machine.cuda_workers, "CUDA worker")}) {
    if (count > 0) workers += ", " + counted(count, type);
  }
  if (r.ranks.empty()) return workers;
  return fmt::format("{} on {} ranks, {}; {} messages with {}", workers, r.machine.ranks,
                     r.distribution.mapping, r.distribution.messages,
                     readable_bytes(r.distribution.bytes));
}

/// Returns the rows about factorizations and solves, if there were any.
std::string results_of(const Report& r) {
  std::string rows;
  if (!r.factor.runs.empty()) {
    rows +=
        row("fastest factorization",
            fmt::format("{}, {:.3g} Gflop/s", readable_seconds(r.factor.seconds), r.factor.gflops));
  }
  if (r.solve.nrhs > 0) {
    rows += row("backward error", fmt::format("{:.2g}", r.solution.backward_error));
  }
  return rows;
}

std::string facts_of(const Report& r) {
  return "<table>\n" + row("rows", fmt::format("{}", r.matrix.n)) +
         row("lower triangle", readable_entries(r.matrix.nnz_lower)) +
         row("ordering",
             fmt::format("{}, {}", r.ordering.method, readable_seconds(r.ordering.seconds))) +
         row("factor", readable_entries(r.symbolic.nnz_l)) +
         row("operations", readable_amount(r.symbolic.flops, "flop")) +
         row("granularity", r.factor.granularity) + row("policy", r.scheduler.active) +
         row("machine", machine_of(r)) +
         row("time model", source_of_costs(r.models.source, r.models.file, r.models.date)) +
         results_of(r) +
         row("memory",
             fmt::format(
                 "{} at the peak ({} predicted), {} for the factor{}",
                 readable_bytes(r.memory.peak_rss_bytes),
                 readable_bytes(r.symbolic.predicted_peak_bytes),
                 readable_bytes(r.memory.factor_bytes),
                 r.ranks.empty() ? "" : " of all ranks; the other numbers are for rank 0")) +
         "</table>\n";
}

/// A phase of a report. `noted` is the name under which its peak memory is recorded, or empty.
struct PhaseRow {
  std::string_view name;
  double seconds;
  std::string_view noted;
};

std::string phases_of(const Report& r) {
  const double factors = std::accumulate(r.factor.runs.begin(), r.factor.runs.end(), 0.0);
  std::string text =
      "<table>\n<tr><th>phase</th><th>time</th><th>peak memory until its end</th></tr>\n";
  for (const PhaseRow& phase : {PhaseRow{"reading", r.matrix.read_seconds, "read"},
                                PhaseRow{"ordering", r.ordering.seconds, "ordering"},
                                PhaseRow{"search for a tuning", r.tune.seconds, ""},
                                PhaseRow{"symbolic factorization", r.symbolic.seconds, "symbolic"},
                                PhaseRow{"set-up", r.factor.setup_seconds, "setup"},
                                PhaseRow{"all factorizations", factors, "factor"},
                                PhaseRow{"solve", r.solve.seconds, "solve"},
                                PhaseRow{"check of the solution", r.solve.residual_seconds, ""}}) {
    if (phase.seconds == 0) continue;
    const auto memory = std::ranges::find(r.memory.phases, phase.noted, &PhaseMemory::phase);
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", phase.name, readable_seconds(phase.seconds),
        memory == r.memory.phases.end() ? "" : readable_bytes(memory->peak_rss_bytes));
  }
  return text + "</table>\n";
}

}  // namespace

std::string provenance() {
  return fmt::format("Espalier {}, {}: {}", version(), today(), command_line());
}

std::string html_page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
      "<h1>{0}</h1>\n{2}<p class=\"provenance\">{3}</p>\n</body>\n</html>\n",
      xml_text(title), style, body, xml_text(provenance()));
}

std::string figure(const std::string& svg, std::string_view caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg, caption);
}

std::string schedule_figures(const Schedule& schedule, std::string_view name, double seconds) {
  const double all = schedule.seconds * schedule.workers;
  const std::string gantt = fmt::format(
      "When each of the {} tasks ran, coloured by kind, in {}. Workers were idle for {:.1f} % of "
      "their time; StarPU's overhead was {:.1f} %. Point at a task to see its sizes and times.",
      schedule.tasks.size(), readable_seconds(schedule.seconds), 100 * schedule.idle_seconds / all,
      100 * schedule.runtime_seconds / all);
  return figure(gantt_chart(schedule, name, seconds), gantt) + "<div class=\"side\">\n" +
         figure(work_chart(schedule),
                "Time of each worker in tasks, by kind. The axis ends at the end of the "
                "factorization.") +
         figure(duration_chart(schedule), "Number of tasks by their time, coloured by kind.") +
         figure(prediction_chart(schedule),
                "One dot per task: predicted time to the right, measured time upwards. Tasks above "
                "the line took longer than predicted.") +
         "</div>\n";
}

namespace {

/// Returns figures of the operations on devices, or nothing without devices.
std::string operation_figures(const Report& r) {
  if (r.machine.coprocessor_workers + r.machine.cuda_workers == 0) return "";
  return "<div class=\"side\">\n" +
         figure(operation_chart(r.operations, "factor"),
                "Number of operations of each kind on CPUs and on devices in the fastest "
                "factorization.") +
         figure(operation_chart(r.operations, "solve"),
                "Number of operations of each kind on CPUs and on devices in the last solve.") +
         "</div>\n";
}

/// Returns a figure for each rank if the policy has LTQ and RTQ.
std::string queue_figures(const Report& r) {
  if (r.scheduler.queue_sizes.empty()) return "";
  std::string figures;
  for (const QueueSizesReport& sizes : r.scheduler.queue_sizes) {
    figures += figure(
        queue_chart(sizes),
        fmt::format(
            "Number of tasks in the local task queues (LTQ) and in the ready task queues (RTQ) of "
            "all workers of rank {} in the fastest factorization.",
            sizes.rank));
  }
  return "<div class=\"side\">\n" + figures + "</div>\n";
}

/// Returns the warnings of the run, and the reason if it ended early.
std::string notes_of(const Report& r) {
  std::string notes;
  for (const std::string& warning : r.warnings) notes += "<p>" + xml_text(warning) + "</p>\n";
  if (!r.message.empty()) notes += "<p>" + xml_text(r.message) + "</p>\n";
  return notes;
}

std::string title_of(const Report& r) {
  const std::string matrix =
      r.matrix.name.empty() ? fmt::format("A matrix with {} rows", r.matrix.n) : r.matrix.name;
  return r.scheduler.active.empty() ? matrix : matrix + ", scheduled by " + r.scheduler.active;
}

}  // namespace

}  // namespace internal

std::string to_html(const Report& report, const Schedule& schedule) {
  using namespace internal;
  const std::string title = title_of(report);
  std::string body = notes_of(report) + facts_of(report) + phases_of(report) +
                     operation_figures(report) + queue_figures(report);
  if (!schedule.tasks.empty()) body += schedule_figures(schedule, title, schedule.seconds);
  return html_page(title, body);
}

}  // namespace espalier
