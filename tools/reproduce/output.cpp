// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace espalier::internal {

namespace {

/// Returns the table as text, with columns of equal width.
std::string table_text(const Figure& figure) {
  std::vector<std::vector<std::string>> cells{{figure.rows_are}};
  for (const Column& column : figure.columns) cells.front().push_back(heading_of(column));
  for (std::size_t k = 0; k < figure.rows.size(); ++k) {
    cells.push_back({figure.rows[k]});
    for (const Column& column : figure.columns) {
      cells.back().push_back(readable(column.values[k].median, column.unit));
    }
  }
  std::vector<std::size_t> width(cells.front().size(), 0);
  for (const auto& row : cells) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text;
  for (const auto& row : cells) {
    text += fmt::format("  {:<{}}", row[0], width[0]);
    for (std::size_t k = 1; k < row.size(); ++k) text += fmt::format("  {:>{}}", row[k], width[k]);
    text += '\n';
  }
  return text;
}

/// Returns the largest range of a column relative to its median, as text, or an empty text if all
/// values are exact.
std::string widest_range(const Figure& figure) {
  double widest = 0;
  for (const Column& column : figure.columns) {
    for (const Value& value : column.values) {
      if (value.runs < 2 || !(value.median > 0)) continue;
      widest = std::max(widest, (value.highest - value.lowest) / value.median);
    }
  }
  return widest == 0 ? "" : fmt::format("  widest range: {:.1f} % of the median\n", 100 * widest);
}

}  // namespace

std::string heading_of(const Made& made) {
  return fmt::format("{}: {}{}{}", made.item.id, made.item.title,
                     made.figure.subject.empty() ? "" : " ", made.figure.subject);
}

std::string heading_of(const Column& column) {
  return column.group.empty() ? column.label : column.group + ": " + column.label;
}

std::string text_of(const Claim& claim) {
  const Judgement& judgement = claim.judgement;
  const std::string reason = judgement.reason.empty() ? "" : " because " + judgement.reason;
  const std::string numbers = claim.numbers.empty() ? "" : fmt::format(" ({})", claim.numbers);
  return fmt::format("{}{}: {}{}", name_of(judgement.verdict), reason, claim.text, numbers);
}

std::string text_of(const Made& made) {
  const std::string heading = heading_of(made) + '\n';
  const std::string reason = made.not_run();
  if (!reason.empty()) return heading + fmt::format("  not run: {}\n", reason);
  const Figure& figure = made.figure;
  std::string text =
      heading + table_text(figure) + widest_range(figure) +
      fmt::format("  here: {}\n  made: {}\n", figure.conditions, readable(made.moment));
  for (const std::string& failure : figure.failures) text += fmt::format("  failed: {}\n", failure);
  text += fmt::format("  the paper: {}\n", made.item.paper);
  for (const Claim& claim : figure.claims) text += fmt::format("  {}\n", text_of(claim));
  return text;
}

std::string text_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{}: {}\n", name, value);
  return text;
}

std::string overview_of(const Reproduction& all) {
  std::string text;
  for (const Made& made : all.figures) {
    const char* const ran = all.machine.empty() ? "run" : "simulated";
    const char* const how = !made.is_made ? "missing" : !made.not_run().empty() ? "not run" : ran;
    std::vector<std::string> verdicts;
    for (const Verdict verdict : {Verdict::found, Verdict::not_found, Verdict::not_judged}) {
      const auto count = std::ranges::count_if(made.figure.claims, [&](const Claim& claim) {
        return claim.judgement.verdict == verdict;
      });
      if (count > 0) verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
    }
    text += fmt::format("{:<10}  {:<9}", made.item.id, how);
    if (!verdicts.empty()) text += fmt::format("  claims: {}", fmt::join(verdicts, ", "));
    text += '\n';
  }
  return text;
}

}  // namespace espalier::internal
