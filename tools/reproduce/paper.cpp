// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "base/nearest_names.hpp"
#include "base/printable.hpp"
#include "base/readable.hpp"
#include "compare/comparison.hpp"
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

std::string Bench::shared_cores(Index busy) const {
  if (runs.simulated() || busy <= cores) return {};
  return fmt::format("{} processes or threads share {}", busy, counted(cores, "core"));
}

Judgement Bench::unless_shared(Index busy, Judgement judgement) const {
  const std::string shared = shared_cores(busy);
  return shared.empty() ? std::move(judgement) : not_judged(shared);
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

Figure not_run(std::string reason) {
  Figure figure;
  figure.not_run = std::move(reason);
  return figure;
}

Figure by_matrix(std::vector<std::string> matrices, std::string conditions) {
  Figure figure;
  figure.conditions = std::move(conditions);
  figure.rows_are = "matrix";
  figure.rows = std::move(matrices);
  return figure;
}

Figure curves(std::string rows_are, std::string conditions) {
  Figure figure;
  figure.conditions = std::move(conditions);
  figure.rows_are = std::move(rows_are);
  figure.picture = Figure::Picture::lines;
  figure.logarithmic = true;
  figure.logarithmic_positions = true;
  return figure;
}

Figure by_nodes(const Bench& bench, std::string conditions) {
  Figure figure =
      curves(bench.runs.simulated() ? "nodes" : "ranks of one worker", std::move(conditions));
  for (const Index nodes : bench.nodes) {
    figure.rows.push_back(std::to_string(nodes));
    figure.positions.push_back(nodes);
  }
  return figure;
}

std::string subject_of(const std::string& matrix, std::string_view of_paper) {
  const std::string file = fs::path(matrix).filename();
  if (file.substr(0, file.find('.')) == of_paper) return fmt::format("of {}", of_paper);
  return fmt::format("of {}, in place of {}", matrix, of_paper);
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

double warm_seconds(const nlohmann::ordered_json& report) {
  std::vector<double> runs = report.at("factor").at("runs");
  if (runs.size() > 1) runs.erase(runs.begin());
  return median(runs);
}

double entries_of_whole_matrix(const nlohmann::ordered_json& report) {
  const auto& matrix = report.at("matrix");
  return 2 * matrix.at("nnz_lower").get<double>() - matrix.at("n").get<double>();
}

std::vector<Value> Measured::values(std::span<const RunCase> cases, const Runs::Reader& read,
                                    bool on_host) {
  bench_.runs.measure(cases);
  std::vector<Value> result;
  for (const RunCase& what : cases) {
    result.push_back(bench_.runs.value(what, read, on_host));
    const std::string& failure = bench_.runs.result(what).failure;
    if (failure.empty()) continue;
    const std::string note = fmt::format("{} by {} on {} x {} workers: {}", what.matrix,
                                         what.policy, what.ranks, what.workers, failure);
    std::vector<std::string>& noted = figure_.failures;
    if (std::ranges::find(noted, note) == noted.end()) noted.push_back(note);
  }
  return result;
}

namespace {

Runs::Reader number_at(const std::string& path) {
  return [at = nlohmann::ordered_json::json_pointer(path)](const nlohmann::ordered_json& report) {
    return report.at(at).get<double>();
  };
}

}  // namespace

std::vector<Value> Measured::numbers(std::span<const RunCase> cases, const std::string& path) {
  return values(cases, number_at(path));
}

std::vector<Value> Measured::host_numbers(std::span<const RunCase> cases, const std::string& path) {
  return values(cases, number_at(path), true);
}

}  // namespace espalier::internal
