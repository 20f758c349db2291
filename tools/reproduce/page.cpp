// SPDX-License-Identifier: BSD-3-Clause
#include "chart/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "chart/charts.hpp"
#include "chart/svg.hpp"
#include "reproduce/output.hpp"

namespace espalier::internal {

namespace {

// The data of a page are between these texts.
constexpr std::string_view data_begin = "<pre class=\"data\">";
constexpr std::string_view data_end = "</pre>";

constexpr std::array<std::pair<std::string_view, char>, 4> escapes{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&amp;", '&'}}};

/// Reverses xml_text() for text without other special characters.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto escape = std::ranges::find_if(
        escapes, [&](const auto& e) { return text.substr(at).starts_with(e.first); });
    plain += escape == escapes.end() ? text[at] : escape->second;
    at += escape == escapes.end() ? 1 : escape->first.size();
  }
  return plain;
}

std::string table_markup(const Figure& figure) {
  std::string table =
      fmt::format("<div class=\"wide\"><table>\n<tr><th>{}</th>", xml_text(figure.rows_are));
  for (const Column& c : figure.columns) {
    table += fmt::format("<th>{}</th>", xml_text(heading_of(c)));
  }
  table += "</tr>\n";
  for (std::size_t k = 0; k < figure.rows.size(); ++k) {
    table += fmt::format("<tr><td>{}</td>", xml_text(figure.rows[k]));
    for (const Column& c : figure.columns) {
      const std::string range = readable_range(c.values[k], c.unit);
      table += fmt::format("<td>{}{}</td>", readable(c.values[k].median, c.unit),
                           range.empty() ? "" : fmt::format("<br/><small>{}</small>", range));
    }
    table += "</tr>\n";
  }
  return table + "</table></div>\n";
}

ValueChart::Series series_of(const Column& column) {
  ValueChart::Series series{column.label, {}, {}, {}, [unit = column.unit](double value) {
                              return readable(value, unit);
                            }};
  for (const Value& value : column.values) {
    series.values.push_back(value.median);
    series.lowest.push_back(value.lowest);
    series.highest.push_back(value.highest);
  }
  return series;
}

bool has_values(const ValueChart& chart) {
  return std::ranges::any_of(chart.series, [](const ValueChart::Series& series) {
    return std::ranges::any_of(series.values, [](double value) { return value > 0; });
  });
}

/// Returns a picture per group of columns. It shows the columns with the unit of the first one.
std::string pictures_of(const Made& made) {
  const Figure& all = made.figure;
  std::string pictures;
  std::vector<std::string> groups;
  for (const Column& column : all.columns) {
    if (std::ranges::find(groups, column.group) == groups.end()) groups.push_back(column.group);
  }
  for (const std::string& group : groups) {
    ValueChart chart{heading_of(made) + (group.empty() ? "" : ", " + group),
                     all.rows_are,
                     all.values_are.empty() ? group : all.values_are,
                     all.rows,
                     all.positions,
                     all.logarithmic_positions};
    chart.logarithmic = all.logarithmic;
    const auto first = std::ranges::find(all.columns, group, &Column::group);
    for (const Column& column : all.columns) {
      if (column.group != group || column.unit != first->unit) continue;
      chart.series.push_back(series_of(column));
    }
    if (!has_values(chart)) continue;
    pictures +=
        figure(all.picture == Figure::Picture::bars ? bar_groups(chart) : value_lines(chart),
               xml_text(group));
  }
  return pictures;
}

std::string paragraph(std::string_view what, const std::string& text) {
  return fmt::format("<p>{}{}</p>\n", what, xml_text(text));
}

std::string markup_of(const Made& made) {
  std::string body = fmt::format("<h2>{}</h2>\n", xml_text(heading_of(made)));
  if (!made.is_made) {
    body += paragraph("", "Missing: the program ended before it made this figure.");
  } else if (!made.not_run().empty()) {
    body += paragraph("Not run: ", made.not_run() + ".");
  } else {
    body += paragraph("", made.figure.conditions);
    if (made.figure.picture != Figure::Picture::none) body += pictures_of(made);
    body += table_markup(made.figure) + paragraph("Made ", readable(made.moment) + ".");
    for (const std::string& failure : made.figure.failures) {
      body += paragraph("Failed run: ", failure);
    }
  }
  body += paragraph("The paper: ", std::string(made.item.paper));
  for (const Claim& claim : made.figure.claims) {
    body += fmt::format("<p class=\"claim\">{}</p>\n", xml_text(text_of(claim)));
  }
  return body;
}

std::string facts_markup(const Facts& facts) {
  std::string table = "<table class=\"facts\">\n";
  for (const auto& [name, text] : facts) {
    table += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", xml_text(name), xml_text(text));
  }
  return table + "</table>\n";
}

/// Returns a paragraph about missing figures, or nothing if there are none.
std::string incomplete(const Reproduction& all) {
  const std::string missing = all.missing();
  if (missing.empty()) return {};
  return paragraph("", fmt::format("This page is incomplete. {}Missing: {}. To continue, run the "
                                   "command again with --resume and this file.",
                                   all.ending.empty() ? "" : all.ending + ". ", missing));
}

}  // namespace

std::string page_of(const Reproduction& all, const nlohmann::ordered_json& data) {
  std::string body = facts_markup(all.facts) + incomplete(all);
  body += fmt::format(
      "<p>The results of the paper stand below each figure. A claim of the paper is found if the "
      "ranges of the values are disjoint in the claimed order, not found if they are disjoint in "
      "the other order, and otherwise not judged.</p>\n<pre>{}</pre>\n",
      overview_of(all));
  for (const Made& made : all.figures) body += markup_of(made);
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  body += fmt::format("<details><summary>All data, for --resume</summary>\n{}{}{}\n</details>\n",
                      data_begin, xml_text(data.dump(-1, ' ', true, replace)), data_end);
  return html_page(fmt::format("The evaluation of {}, reproduced", all.paper.method), body);
}

std::string data_in_page(const std::string& page) {
  const auto at = page.rfind(data_begin);
  if (at == std::string::npos) return {};
  const auto begin = at + data_begin.size();
  const auto end = page.find(data_end, begin);
  return without_escapes(std::string_view(page).substr(begin, end - begin));
}

}  // namespace espalier::internal
