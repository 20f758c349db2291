// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/peer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "cli/failure.hpp"
#include "launch/child.hpp"
#include "launch/scratch_folder.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* built_program = "espalier_bench_binding_cholmod";

/// Returns the name of the program of a solver: "peer_mumps".
std::string program_of(std::string_view name) {
  std::string program = "peer_";
  for (const unsigned char letter : name) program += static_cast<char>(std::tolower(letter));
  return program;
}

/// Returns the command without the matrix: the program peer_NAME in the folder of PEERS, or for
/// CHOLMOD the one that the build made beside this program. Returns nothing if there is none.
std::vector<std::string> command_of(std::string_view name) {
  const auto runs = [](const fs::path& path) { return access(path.c_str(), X_OK) == 0; };
  if (const char* const folder = std::getenv("PEERS"); folder != nullptr) {
    const fs::path program = fs::path(folder) / program_of(name);
    if (runs(program)) return {program};
  }
  if (name != cholmod) return {};
  const fs::path built = fs::read_symlink("/proc/self/exe").replace_filename(built_program);
  if (runs(built)) return {built, "cholmod"};
  return {};
}

/// Returns the line of JSON in the output of a peer program. Throws Json::exception if there is
/// none.
Json line_in(const std::string& output) {
  const auto begin = output.find('{');
  return Json::parse(output.substr(begin == std::string::npos ? output.size() : begin));
}

ProgramRun result_of(const std::string& name, const Json& line) {
  const auto error = line.at("backward_error").get<double>();
  if (!(error >= 0 && error <= accepted_error)) {
    return {static_cast<int>(ErrorCode::inaccurate),
            fmt::format("the backward error of {} is {:.2g}", name, error),
            {},
            {}};
  }
  const Json& seconds = line.at(line.contains("factor_median_s") ? "factor_median_s" : "factor_s");
  const Json factor{{"runs", {seconds}}, {"setup_seconds", 0}};
  return {0,
          "",
          {{"ordering", {{"seconds", line.at("analyse_s")}}},
           {"symbolic", {{"seconds", 0}}},
           {"factor", factor},
           {"solve", {{"seconds", line.at("solve_s")}}}},
          {}};
}

}  // namespace

bool is_peer(std::string_view policy) {
  return std::ranges::find(all_peers, policy) != all_peers.end();
}

std::string why_no_cholmod() {
  if (!command_of(cholmod).empty()) return {};
  return fmt::format(
      "{} is missing: {} is not beside this program; install libsuitesparse-dev and build with "
      "ESPALIER_TESTS, or name a folder with {} in PEERS",
      cholmod, built_program, program_of(cholmod));
}

Peers peers_here() {
  Peers peers;
  std::string missing;
  for (const char* const name : all_peers) {
    if (command_of(name).empty()) {
      missing += (missing.empty() ? "" : ", ") + program_of(name);
    } else {
      peers.found.push_back(name);
    }
  }
  if (!missing.empty()) {
    peers.missing =
        fmt::format("Not found: {}. PEERS can name a folder with these programs.", missing);
  }
  return peers;
}

RunCase peer_case(const char* name, const std::string& ordering, Index threads) {
  return {.policy = name, .workers = threads, .options = {"ORDERING=" + ordering}};
}

ProgramRun run_peer(const RunCase& what, const RunMode& mode) {
  const ScratchFolder scratch;
  std::vector<std::string> words = command_of(what.policy);
  words.push_back(what.matrix);
  std::vector<std::string> changes = what.options;
  changes.push_back(fmt::format("REPEATS={}", mode.factorizations));
  for (const char* const name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    changes.push_back(fmt::format("{}={}", name, what.workers));
  }
  const int code = run_unless_interrupted({words,
                                           {changes, Environment::Starpu::handed_on},
                                           scratch.file("output"),
                                           "check that the program still exists"},
                                          [&] { scratch.remove(); });
  const std::string output = content_of(scratch.file("output"));
  if (code != 0) return {code, what.policy + ": " + output.substr(0, output.find('\n')), {}, {}};
  try {
    return result_of(what.policy, line_in(output));
  } catch (const Json::exception&) {
    return {
        static_cast<int>(ErrorCode::device), what.policy + "'s program printed no result", {}, {}};
  }
}

}  // namespace espalier::internal
