// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/svg.hpp"
#include "common/readable.hpp"

namespace espalier {

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
  std::string table =
      "<table>\n<tr><th>policy</th><th>median</th><th>spread</th><th>to best</th><th>idle</th>"
      "<th>runtime</th><th>bound ratio</th></tr>\n";
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const Figures& f = figures[k];
    table += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{:.3f}</td><td>{:.1f} %</td>"
        "<td>{:.1f} %</td><td>{:.2f}</td></tr>\n",
        xml_text(comparison.policies[k].choice.label), readable_seconds(f.seconds), 100 * f.spread,
        f.ratio, 100 * f.idle_share, 100 * f.runtime_share, f.bound_ratio);
  }
  return table + "</table>\n";
}

constexpr const char* explanation = R"(<p>Spread is the slowest less the fastest run, as a share of
the median. Idle is the share of the workers' time in which no task could have run before others
ended; runtime the share in which one could have, but was still being submitted, scheduled or
handed out. The bound ratio is the time in units of max(critical path, work / workers), both as
predicted: no schedule comes below 1 if the predictions are exact.</p>
)";

std::string section_of(const Comparison& comparison) {
  const Report& r = comparison.report;
  const std::vector<Figures> figures = figures_of(comparison);
  std::string section = fmt::format(
      "<h2>{}</h2>\n<p>{} rows, {:.3g} operations, {} ordering, {} granularity, {} CPU workers on "
      "{}.</p>\n",
      xml_text(r.matrix.name), r.matrix.n, r.symbolic.flops, xml_text(r.ordering.method),
      r.factor.granularity, r.machine.cpu_workers, xml_text(r.machine.host));
  section += bars_of(comparison, figures) + table_of(comparison, figures);
  double longest = 0;  // all Gantt charts get the same axis
  for (const PolicyRuns& policy : comparison.policies) {
    longest = std::max(longest, policy.fastest.seconds);
  }
  for (const PolicyRuns& policy : comparison.policies) {
    section += fmt::format("<h3>{}: the fastest run</h3>\n", xml_text(policy.choice.label));
    section +=
        schedule_figures(policy.fastest, r.matrix.name + " with " + policy.choice.label, longest);
  }
  return section;
}

}  // namespace

std::string page_of(std::span<const Comparison> comparisons) {
  std::string body = explanation;
  for (const Comparison& comparison : comparisons) body += section_of(comparison);
  return html_page("Scheduling policies compared", body);
}

}  // namespace espalier
