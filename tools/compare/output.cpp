// SPDX-License-Identifier: BSD-3-Clause

#include "compare/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/memory.hpp"
#include "base/printable.hpp"
#include "base/readable.hpp"
#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/svg.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

/// Puts the text in quotes if it contains a separator of fields.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

Json json_of(const TaskRun& task) {
  return {{"kind", task.kind},     {"row", task.row},
          {"column", task.column}, {"m", task.m},
          {"n", task.n},           {"k", task.k},
          {"flops", task.flops},   {"predicted_seconds", task.predicted_seconds},
          {"worker", task.worker}, {"slices", task.slices},
          {"begin", task.begin},   {"end", task.end}};
}

Json json_of(const Schedule& schedule) {
  Json tasks = Json::array();
  for (const TaskRun& task : schedule.tasks) tasks.push_back(json_of(task));
  return {{"seconds", schedule.seconds},
          {"workers", schedule.workers},
          {"idle_seconds", schedule.idle_seconds},
          {"runtime_seconds", schedule.runtime_seconds},
          {"critical_path_seconds", schedule.critical_path_seconds},
          {"bound_seconds", bound_seconds(schedule)},
          {"tasks", std::move(tasks)}};
}

Json json_of(const std::vector<TimedRun>& runs) {
  Json list = Json::array();
  for (const TimedRun& run : runs) {
    list.push_back({{"round", run.round},
                    {"seconds", run.seconds},
                    {"idle_share", run.idle_share},
                    {"runtime_share", run.runtime_share}});
  }
  return list;
}

Json json_of(const PolicyRuns& policy, const Figures& figures) {
  const bool based = !std::isnan(figures.to_baseline);
  return {{"policy", policy.choice.label},
          {"active", policy.active},
          {"seconds", figures.seconds},
          {"spread", figures.spread},
          {"ratio", figures.ratio},
          {"to_baseline", based ? Json(figures.to_baseline) : Json(nullptr)},
          {"idle_share", figures.idle_share},
          {"runtime_share", figures.runtime_share},
          {"bound_ratio", figures.bound_ratio},
          {"backward_error", policy.backward_error},
          {"ordering", policy.report.at("ordering").at("method")},
          {"granularity", policy.report.at("factor").at("granularity")},
          {"configuration", policy.report.value("configuration", Json(nullptr))},
          {"runs", json_of(policy.runs)},
          {"schedule", json_of(policy.fastest)}};
}

Json json_of(const Comparison& comparison) {
  const Json& report = comparison.report();
  Json json;
  for (const char* const part : {"matrix", "ordering", "symbolic", "machine", "models", "tuning"}) {
    json[part] = report.at(part);
  }
  json["granularity"] = report.at("factor").at("granularity");
  json["baseline"] = comparison.baseline;
  json["policies"] = Json::array();
  const std::vector<Figures> figures = figures_of(comparison);
  for (std::size_t k = 0; k < figures.size(); ++k) {
    json["policies"].push_back(json_of(comparison.policies[k], figures[k]));
  }
  return json;
}

/// Returns a description such as "2 CPU workers" or "2 ranks with 2 CPU workers and 2 coprocessor
/// workers together".
std::string workers_in(const Json& machine) {
  std::string all = counted(machine.at("cpu_workers").get<Index>(), "CPU worker");
  const auto add = [&](const char* field, const char* what) {
    const Index count = machine.at(field);
    if (count > 0) all += " and " + counted(count, what);
  };
  add("coprocessor_workers", "coprocessor worker");
  add("cuda_workers", "CUDA worker");
  const Index ranks = machine.at("ranks");
  return ranks > 1 ? fmt::format("{} ranks with {} together", ranks, all) : all;
}

/// Returns a description such as "4.1e+07 flop, metis ordering, block granularity".
std::string method_in(const Json& report) {
  return fmt::format("{:.3g} flop, {} ordering, {} granularity",
                     report.at("symbolic").at("flops").get<double>(),
                     report.at("ordering").at("method").get<std::string>(),
                     report.at("factor").at("granularity").get<std::string>());
}

/// Returns a sentence per configuration of a paper, because each has its own ordering and tasks.
std::vector<std::string> configurations_in(const Comparison& comparison) {
  std::vector<std::string> sentences;
  for (const auto& [choice, active, runs, error, fastest, report] : comparison.policies) {
    if (!report.contains("configuration")) continue;
    const std::vector<std::string> changes = report.at("configuration").at("overridden");
    const std::string except =
        changes.empty() ? ""
                        : fmt::format("; it follows the paper except {}", fmt::join(changes, ", "));
    sentences.push_back(
        fmt::format("{}: {}, scheduler {}{}", choice.label, method_in(report), active, except));
  }
  return sentences;
}

}  // namespace

std::string heading_of(const Comparison& comparison) {
  const Json& r = comparison.report();
  return fmt::format("{}: {} rows, {}, {}", printable(r.at("matrix").at("name").get<std::string>()),
                     r.at("matrix").at("n").get<Index>(), method_in(r),
                     workers_in(r.at("machine")));
}

std::string table_of(const Comparison& comparison) {
  std::size_t widest = 6;
  for (const PolicyRuns& policy : comparison.policies) {
    widest = std::max(widest, policy.choice.label.size());
  }
  const std::string over = "to " + comparison.baseline;
  const bool based = !comparison.baseline.empty();
  const std::size_t wide = over.size() + 2;
  std::string table =
      fmt::format("{:<{}}{:>10}{:>9}{:>9}{}{:>8}{:>10}{:>13}\n", "policy", widest, "median",
                  "spread", "to best", based ? "  " + over : "", "idle", "runtime", "bound ratio");
  const std::vector<Figures> figures = figures_of(comparison);
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const Figures& f = figures[k];
    table += fmt::format("{:<{}}{:>10}{:>7.1f} %{:>9.3f}{}{:>6.1f} %{:>8.1f} %{:>13.2f}\n",
                         comparison.policies[k].choice.label, widest, readable_seconds(f.seconds),
                         100 * f.spread, f.ratio,
                         based ? fmt::format("{:>{}.3f}", f.to_baseline, wide) : "",
                         100 * f.idle_share, 100 * f.runtime_share, f.bound_ratio);
  }
  for (const std::string& sentence : configurations_in(comparison)) {
    table += printable(sentence) + "\n";
  }
  return table;
}

std::string csv_of(std::span<const Comparison> comparisons) {
  std::string csv =
      "matrix,policy,active,ranks,workers,coprocessors,cuda_devices,granularity,round,seconds,"
      "to_baseline,idle_share,runtime_share,bound_seconds,backward_error\n";
  for (const Comparison& comparison : comparisons) {
    const Json& machine = comparison.report().at("machine");
    const std::string matrix = csv_field(comparison.report().at("matrix").at("name"));
    const double base = baseline_seconds(comparison);
    for (const PolicyRuns& policy : comparison.policies) {
      const std::string granularity = policy.report.at("factor").at("granularity");
      for (const TimedRun& run : policy.runs) {
        csv += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", matrix,
            csv_field(policy.choice.label), csv_field(policy.active),
            machine.at("ranks").get<Index>(), machine.at("cpu_workers").get<Index>(),
            machine.at("coprocessor_workers").get<Index>(), machine.at("cuda_workers").get<Index>(),
            granularity, run.round, run.seconds,
            std::isnan(base) ? "" : fmt::format("{}", run.seconds / base), run.idle_share,
            run.runtime_share, bound_seconds(policy.fastest), policy.backward_error);
      }
    }
  }
  return csv;
}

std::string json_of(std::span<const Comparison> comparisons) {
  Json json;
  json["espalier"] = version();
  json["matrices"] = Json::array();
  for (const Comparison& comparison : comparisons) json["matrices"].push_back(json_of(comparison));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

std::string bars_of(const Comparison& comparison, const std::vector<Figures>& figures) {
  std::vector<Bar> bars;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const PolicyRuns& policy = comparison.policies[k];
    const auto [fastest, slowest] =
        std::minmax_element(policy.runs.begin(), policy.runs.end(),
                            [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    bars.push_back({policy.choice.label, figures[k].seconds, fastest->seconds, slowest->seconds});
  }
  return figure(time_bars(bars), fmt::format("Median time of {} factorizations with each policy; "
                                             "the thin line goes from the fastest to the slowest.",
                                             comparison.policies.front().runs.size()));
}

std::string table_of(const Comparison& comparison, const std::vector<Figures>& figures) {
  const bool based = !comparison.baseline.empty();
  std::string table = fmt::format(
      "<table>\n<tr><th>policy</th><th>median</th><th>spread</th><th>to best</th>{}<th>idle</th>"
      "<th>runtime</th><th>bound ratio</th></tr>\n",
      based ? "<th>to " + xml_text(comparison.baseline) + "</th>" : "");
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const Figures& f = figures[k];
    table += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{:.3f}</td>{}<td>{:.1f} %</td>"
        "<td>{:.1f} %</td><td>{:.2f}</td></tr>\n",
        xml_text(comparison.policies[k].choice.label), readable_seconds(f.seconds), 100 * f.spread,
        f.ratio, based ? fmt::format("<td>{:.3f}</td>", f.to_baseline) : "", 100 * f.idle_share,
        100 * f.runtime_share, f.bound_ratio);
  }
  return table + "</table>\n";
}

constexpr const char* explanation =
    R"(<p>Spread is (slowest - fastest) / median. Idle is the share of the
workers' time in which no task could run before others ended. Runtime is the share in which a task
could run but was still being submitted, scheduled or handed out. With several ranks all time without
a task counts as idle. The bound ratio is the median over max(critical path, work / workers). Both are
predicted, with the times of a CPU worker also for devices. If the predictions are exact, no schedule
is below 1.</p>
)";

/// Returns a sentence about the phases before the factorization, the memory of the first run, and
/// the source of predicted times.
std::string conditions_of(const Json& report) {
  const auto took = [&](const char* part, const char* seconds) {
    return readable_seconds(report.at(part).at(seconds));
  };
  const auto bytes = [&](const char* part, const char* count) {
    return readable_bytes(report.at(part).at(count));
  };
  const Json& models = report.at("models");
  return fmt::format(
      "Reading {}, ordering {}, symbolic factorization {}, set-up {}; {} of memory at the peak, {} "
      "predicted. Times are predicted by {}.",
      took("matrix", "read_seconds"), took("ordering", "seconds"), took("symbolic", "seconds"),
      took("factor", "setup_seconds"), bytes("memory", "peak_rss_bytes"),
      bytes("symbolic", "predicted_peak_bytes"),
      source_of_costs(models.at("source").get<std::string>(), models.at("file").get<std::string>(),
                      models.at("date").get<std::string>()));
}

std::string section_of(const Comparison& comparison) {
  const std::string matrix = comparison.report().at("matrix").at("name");
  const std::string host = comparison.report().at("machine").at("host");
  const std::vector<Figures> figures = figures_of(comparison);
  std::string section = fmt::format("<h2>{}</h2>\n<p>{}, on {}.</p>\n<p>{}</p>\n", xml_text(matrix),
                                    xml_text(heading_of(comparison)), xml_text(host),
                                    xml_text(conditions_of(comparison.report())));
  section += bars_of(comparison, figures) + table_of(comparison, figures);
  for (const std::string& sentence : configurations_in(comparison)) {
    section += "<p>" + xml_text(sentence) + "</p>\n";
  }
  double longest = 0;  // so that all Gantt charts have the same axis
  for (const PolicyRuns& policy : comparison.policies) {
    longest = std::max(longest, policy.fastest.seconds);
  }
  for (const PolicyRuns& policy : comparison.policies) {
    section += fmt::format("<h3>{}: the fastest run</h3>\n", xml_text(policy.choice.label));
    section += schedule_figures(policy.fastest, matrix + " with " + policy.choice.label, longest);
  }
  return section;
}

}  // namespace

std::string page_of(std::span<const Comparison> comparisons) {
  std::string body = explanation;
  for (const Comparison& comparison : comparisons) body += section_of(comparison);
  return html_page("Scheduling policies compared", body);
}

}  // namespace espalier::internal
