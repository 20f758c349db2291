// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "base/printable.hpp"
#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "launch/child.hpp"
#include "reproduce/output.hpp"
#include "reproduce/reproduction.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

/// Writes a number; null if it is missing or has no bound.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number(const Json& json, double otherwise) {
  return json.is_null() ? otherwise : json.get<double>();
}

Json json_of(const Column& column) {
  Json json{
      {"label", column.label},   {"group", column.group},   {"unit", static_cast<int>(column.unit)},
      {"values", Json::array()}, {"lowest", Json::array()}, {"highest", Json::array()},
      {"runs", Json::array()}};
  for (const Value& value : column.values) {
    json["values"].push_back(number(value.median));
    json["lowest"].push_back(number(value.lowest));
    json["highest"].push_back(number(value.highest));
    json["runs"].push_back(value.runs);
  }
  return json;
}

Column column_from(const Json& json) {
  Column column{
      json.at("label"), static_cast<Unit>(json.at("unit").get<int>()), {}, json.at("group")};
  for (std::size_t k = 0; k < json.at("values").size(); ++k) {
    const double median = number(json.at("values").at(k), Value{}.median);
    const double unbounded = std::isnan(median) ? median : std::numeric_limits<double>::infinity();
    column.values.push_back({median, number(json.at("lowest").at(k), -unbounded),
                             number(json.at("highest").at(k), unbounded),
                             json.at("runs").at(k).get<Index>()});
  }
  return column;
}

Json json_of(const Claim& claim) {
  Json json{{"text", claim.text}, {"verdict", name_of(claim.judgement.verdict)}};
  if (claim.judgement.verdict != Verdict::not_judged) {
    json["holds"] = claim.judgement.verdict == Verdict::found;
  } else {
    json["reason"] = claim.judgement.reason;
  }
  json["numbers"] = claim.numbers;
  return json;
}

Claim claim_from(const Json& json) {
  Claim claim{json.at("text"), {}, json.at("numbers")};
  if (json.contains("holds")) {
    claim.judgement.verdict = json.at("holds").get<bool>() ? Verdict::found : Verdict::not_found;
  } else {
    claim.judgement = not_judged(json.at("reason"));
  }
  return claim;
}

Figure figure_from(const Json& json) {
  Figure figure;
  figure.subject = json.at("subject");
  figure.conditions = json.at("conditions");
  figure.rows_are = json.at("rows_are");
  figure.rows = json.at("rows").get<std::vector<std::string>>();
  figure.positions = json.at("positions").get<std::vector<double>>();
  figure.logarithmic_positions = json.at("logarithmic_positions");
  figure.values_are = json.at("values_are");
  figure.picture = static_cast<Figure::Picture>(json.at("picture").get<int>());
  figure.logarithmic = json.at("logarithmic");
  figure.failures = json.at("failures").get<std::vector<std::string>>();
  for (const Json& column : json.at("columns")) figure.columns.push_back(column_from(column));
  for (const Json& claim : json.at("claims")) figure.claims.push_back(claim_from(claim));
  return figure;
}

}  // namespace

std::string Reproduction::missing() const {
  std::string names;
  for (const Made& made : figures) {
    if (!made.is_made) names += (names.empty() ? "" : ", ") + std::string(made.item.id);
  }
  return names;
}

Json json_of(const Made& made) {
  const Figure& figure = made.figure;
  Json json{{"id", made.item.id}, {"title", made.item.title}, {"paper", made.item.paper}};
  if (!made.is_made) {
    json["missing"] = true;
    return json;
  }
  if (!made.not_run().empty()) {
    json["not_run"] = made.not_run();
    return json;
  }
  json.update({{"subject", figure.subject},
               {"conditions", figure.conditions},
               {"begin", made.moment.begin},
               {"seconds", made.moment.seconds},
               {"other_cores", made.moment.other_cores},
               {"rows_are", figure.rows_are},
               {"rows", figure.rows},
               {"positions", figure.positions},
               {"logarithmic_positions", figure.logarithmic_positions},
               {"values_are", figure.values_are},
               {"picture", static_cast<int>(figure.picture)},
               {"logarithmic", figure.logarithmic},
               {"failures", figure.failures},
               {"columns", Json::array()},
               {"claims", Json::array()}});
  for (const Column& column : figure.columns) json["columns"].push_back(json_of(column));
  for (const Claim& claim : figure.claims) json["claims"].push_back(json_of(claim));
  return json;
}

void restore(Made& made, const Json& json) {
  if (json.contains("missing") || json.contains("not_run")) return;
  Figure figure = figure_from(json);
  if (!figure.failures.empty()) return;
  made.figure = std::move(figure);
  made.moment = {json.at("begin"), json.at("seconds"), json.at("other_cores")};
  made.is_made = true;
}

Json json_of(const Reproduction& all, Json runs) {
  Json facts = Json::object();
  for (const auto& [name, text] : all.facts) facts[name] = text;
  Json json{{"espalier", version()},        {"paper", all.paper.citation},
            {"machine", all.machine},       {"complete", all.missing().empty()},
            {"ending", all.ending},         {"facts", std::move(facts)},
            {"conditions", all.conditions}, {"figures", Json::array()}};
  for (const Made& made : all.figures) json["figures"].push_back(json_of(made));
  json["runs"] = std::move(runs);
  return json;
}

namespace {

/// Throws UsageError if stored results were made under other conditions, and names the first
/// difference.
void expect_equal_conditions(const std::string& file, const Json& theirs, const Json& ours) {
  for (const auto& [name, value] : ours.items()) {
    if (theirs.at(name) == value) continue;
    throw UsageError(fmt::format(
        "--resume: {} was made with another {}: {} instead of {}; use the same command, program "
        "and machine, or leave out --resume",
        internal::quoted(file), name, internal::quoted(theirs.at(name).dump()),
        internal::quoted(value.dump())));
  }
}

}  // namespace

void resume(const std::string& file, Reproduction& all, Runs& runs) {
  const std::string text = content_of(file);
  if (text.empty()) {
    throw InputError(
        fmt::format("--resume: {} cannot be read or is empty; name a report or a page "
                    "of espalier reproduce",
                    internal::quoted(file)));
  }
  try {
    const Json json = Json::parse(text.starts_with("{") ? text : data_in_page(text));
    expect_equal_conditions(file, json.at("conditions"), all.conditions);
    for (const Json& stored : json.at("figures")) {
      for (Made& made : all.figures) {
        if (stored.at("id") == made.item.id) restore(made, stored);
      }
    }
    runs.restore(json.at("runs"));
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format(
        "--resume: {} is not a report or a page of espalier reproduce; name another file, or leave "
        "out --resume",
        internal::quoted(file)));
  }
}

}  // namespace espalier::internal
