// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/svg.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

std::string heading_of(const Item& item) { return fmt::format("{}: {}", item.id, item.title); }

/// Returns the table as text, with columns of equal width.
std::string table_text(const Figure& figure) {
  std::vector<std::vector<std::string>> cells{{figure.rows_are}};
  for (const Column& column : figure.columns) cells.front().push_back(column.label);
  for (std::size_t k = 0; k < figure.rows.size(); ++k) {
    cells.push_back({figure.rows[k]});
    for (const Column& c : figure.columns) cells.back().push_back(readable(c.values[k], c.unit));
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

std::string verdict_of(const Claim& claim) {
  return fmt::format("{}: {} ({})", claim.holds ? "found" : "not found", claim.text, claim.found);
}

std::string table_markup(const Figure& figure) {
  std::string table = fmt::format("<table>\n<tr><th>{}</th>", xml_text(figure.rows_are));
  for (const Column& c : figure.columns) table += fmt::format("<th>{}</th>", xml_text(c.label));
  table += "</tr>\n";
  for (std::size_t k = 0; k < figure.rows.size(); ++k) {
    table += fmt::format("<tr><td>{}</td>", xml_text(figure.rows[k]));
    for (const Column& c : figure.columns) {
      table += fmt::format("<td>{}</td>", readable(c.values[k], c.unit));
    }
    table += "</tr>\n";
  }
  return table + "</table>\n";
}

std::string picture_of(const Figure& figure, const std::string& title) {
  ValueChart chart{title, figure.rows_are, figure.rows, {}, figure.logarithmic};
  for (const Column& c : figure.columns) {
    if (c.unit != figure.columns.front().unit) continue;
    chart.series.push_back(
        {c.label, c.values, [unit = c.unit](double value) { return readable(value, unit); }});
  }
  return figure.picture == Figure::Picture::bars ? bar_groups(chart) : value_lines(chart);
}

std::string markup_of(const Made& made) {
  std::string body = fmt::format("<h2>{}</h2>\n", xml_text(heading_of(made.item)));
  if (!made.item.not_run.empty()) {
    body += fmt::format("<p>Not run: {}.</p>\n", xml_text(made.item.not_run));
  } else {
    body += fmt::format("<p>{}</p>\n", xml_text(made.figure.conditions));
    if (made.figure.picture != Figure::Picture::none) {
      body += figure(picture_of(made.figure, heading_of(made.item)), "");
    }
    body += table_markup(made.figure);
  }
  body += fmt::format("<p>The paper: {}</p>\n", xml_text(made.item.paper));
  for (const Claim& claim : made.figure.claims) {
    body += fmt::format("<p class=\"claim\">{}</p>\n", xml_text(verdict_of(claim)));
  }
  return body;
}

Json json_of(const Figure& figure) {
  Json json{
      {"conditions", figure.conditions}, {"rows_are", figure.rows_are}, {"rows", figure.rows}};
  json["columns"] = Json::array();
  for (const Column& column : figure.columns) {
    Json values = Json::array();
    for (const double value : column.values) {
      values.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
    }
    json["columns"].push_back({{"label", column.label}, {"values", std::move(values)}});
  }
  json["claims"] = Json::array();
  for (const Claim& claim : figure.claims) {
    json["claims"].push_back(
        {{"text", claim.text}, {"holds", claim.holds}, {"found", claim.found}});
  }
  return json;
}

}  // namespace

std::string text_of(const Made& made) {
  std::string text = heading_of(made.item) + '\n';
  if (!made.item.not_run.empty()) {
    return text + fmt::format("  not run: {}\n", made.item.not_run);
  }
  text += fmt::format("{}  here: {}\n  the paper: {}\n", table_text(made.figure),
                      made.figure.conditions, made.item.paper);
  for (const Claim& claim : made.figure.claims) text += fmt::format("  {}\n", verdict_of(claim));
  return text;
}

std::string overview_of(const std::vector<Made>& all, bool simulated) {
  std::string text;
  for (const Made& made : all) {
    const auto found = std::ranges::count_if(made.figure.claims, &Claim::holds);
    const bool ran = made.item.not_run.empty() && !made.figure.columns.empty();
    const char* const how = !ran ? "not run" : simulated ? "simulated" : "run";
    text += fmt::format("{:<10}  {:<9}", made.item.id, how);
    if (!made.figure.claims.empty()) {
      text += fmt::format("  {} of {} claims found", found, made.figure.claims.size());
    }
    text += '\n';
  }
  return text;
}

std::string reproduction_json(const Paper& paper, const std::string& machine,
                              const std::vector<Made>& all) {
  Json json{{"espalier", version()}, {"paper", paper.citation}, {"machine", machine}};
  json["figures"] = Json::array();
  for (const Made& made : all) {
    Json one{{"id", made.item.id}, {"title", made.item.title}, {"paper", made.item.paper}};
    if (made.item.not_run.empty()) {
      one.update(json_of(made.figure));
    } else {
      one["not_run"] = made.item.not_run;
    }
    json["figures"].push_back(std::move(one));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string reproduction_page(const Paper& paper, const std::string& machine,
                              const std::vector<Made>& all) {
  std::string body = fmt::format(
      "<p>{}</p>\n<p>Reproduced by Espalier {} on {}. The results of the paper stand below each "
      "figure. Its claims are checked with the numbers of the figure.</p>\n<pre>{}</pre>\n",
      xml_text(paper.citation), version(), xml_text(machine.empty() ? "this machine" : machine),
      overview_of(all, !machine.empty()));
  for (const Made& made : all) body += markup_of(made);
  return html_page(fmt::format("The evaluation of {}, reproduced", paper.method), body);
}

}  // namespace espalier::internal
