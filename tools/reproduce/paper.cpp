// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Returns the file of a matrix in the folder of ESPALIER_MATRICES, or an empty string if it does
/// not exist.
std::string file_of(std::string_view name) {
  constexpr std::array endings{".mtx", ".mtx.gz", ".rb", ".rb.gz",
                               ".rsa", ".rsa.gz", ".hb", ".hb.gz"};
  const char* const folder = std::getenv("ESPALIER_MATRICES");
  if (folder == nullptr) return {};
  for (const char* const ending : endings) {
    fs::path path = fs::path(folder) / (std::string(name) + ending);
    if (fs::exists(path)) return path;
  }
  return {};
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// Returns whether the word names the item: a number alone is a figure, other words must be the
/// whole id.
bool names(const std::string& word, const Item& item) {
  const std::string id = lower_case(item.id);
  return lower_case(word) == id || "figure " + word == id;
}

}  // namespace

std::vector<std::string> Bench::matrices(std::span<const PaperMatrix> of_paper) const {
  if (!chosen.empty()) return chosen;
  std::vector<std::string> found;
  for (const PaperMatrix& matrix : of_paper) {
    const std::string file = file_of(matrix.name);
    if (!file.empty()) found.push_back(file);
  }
  if (!found.empty()) return found;
  for (const PaperMatrix& matrix : of_paper) {
    const std::string name(matrix.stand_in);
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  }
  return found;
}

std::vector<Paper> known_papers() { return {sympack_paper(), halo_paper(), swcholesky_paper()}; }

Paper find_paper(std::string_view name) {
  std::vector<std::string> known;
  for (const Paper& paper : known_papers()) {
    if (paper.name == name) return paper;
    known.emplace_back(paper.name);
  }
  throw UsageError(fmt::format("there is no paper {}; {}choose one of {}", internal::quoted(name),
                               did_you_mean(name, known), fmt::join(known, ", ")));
}

std::vector<Item> choose_items(const Paper& paper, std::span<const std::string> words) {
  std::vector<Item> chosen;
  if (words.empty()) chosen.assign(paper.items.begin(), paper.items.end());
  for (const std::string& word : words) {
    const auto at =
        std::ranges::find_if(paper.items, [&](const Item& item) { return names(word, item); });
    if (at == paper.items.end()) {
      std::string known;
      for (const Item& item : paper.items) {
        known += (known.empty() ? "" : ", ") + std::string(item.id);
      }
      throw UsageError(fmt::format("the evaluation of {} has no {}; choose one of {}", paper.name,
                                   internal::quoted(word), known));
    }
    chosen.push_back(*at);
  }
  return chosen;
}

Figure by_matrix(std::vector<std::string> matrices, std::string conditions) {
  return {.conditions = std::move(conditions),
          .rows_are = "matrix",
          .rows = std::move(matrices),
          .columns = {},
          .claims = {}};
}

Figure by_nodes(const Bench& bench, std::string conditions) {
  Figure figure{.conditions = std::move(conditions),
                .rows_are = bench.runs.simulated() ? "nodes" : "ranks of one worker",
                .rows = {},
                .columns = {},
                .picture = Figure::Picture::lines,
                .logarithmic = true,
                .claims = {}};
  for (const Index nodes : bench.nodes) figure.rows.push_back(std::to_string(nodes));
  return figure;
}

std::vector<RunCase> on_all_nodes(const Bench& bench, RunCase what) {
  what.workers = bench.workers_of_rank();
  std::vector<RunCase> cases;
  for (const Index nodes : bench.nodes) {
    what.ranks = nodes;
    cases.push_back(what);
  }
  return cases;
}

void Measured::note_failures(std::span<const RunCase> cases) {
  for (const RunCase& what : cases) {
    const std::string& failure = bench_.runs.result(what).failure;
    if (failure.empty()) continue;
    const std::string note = fmt::format(" Not run: {} by {} on {} x {} workers: {}.", what.matrix,
                                         what.policy, what.ranks, what.workers, failure);
    if (figure_.conditions.find(note) == std::string::npos) figure_.conditions += note;
  }
}

std::vector<double> Measured::values(std::span<const RunCase> cases, double RunResult::*value) {
  bench_.runs.measure(cases);
  note_failures(cases);
  std::vector<double> result;
  for (const RunCase& what : cases) result.push_back(bench_.runs.result(what).*value);
  return result;
}

std::vector<double> Measured::numbers(std::span<const RunCase> cases, const std::string& path) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  bench_.runs.measure(cases);
  note_failures(cases);
  std::vector<double> result;
  for (const RunCase& what : cases) {
    const RunResult& run = bench_.runs.result(what);
    const nlohmann::ordered_json::json_pointer at(path);
    result.push_back(run.failure.empty() ? run.report.at(at).get<double>() : none);
  }
  return result;
}

}  // namespace espalier::internal
