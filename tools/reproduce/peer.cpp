// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/peer.hpp"

#include <fmt/format.h>
#include <unistd.h>

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

/// Returns the command without the matrix: the program peer_cholmod in the folder of PEERS, else
/// the one that the build made beside this program. Returns nothing if there is neither.
std::vector<std::string> command() {
  const auto runs = [](const fs::path& path) { return access(path.c_str(), X_OK) == 0; };
  const char* const folder = std::getenv("PEERS");
  if (folder != nullptr && runs(fs::path(folder) / "peer_cholmod")) {
    return {fs::path(folder) / "peer_cholmod"};
  }
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

ProgramRun result_of(const Json& line) {
  const auto error = line.at("backward_error").get<double>();
  if (!(error <= accepted_error)) {
    return {static_cast<int>(ErrorCode::inaccurate),
            fmt::format("the backward error of CHOLMOD is {:.2g}", error),
            {},
            {}};
  }
  const Json factor{{"runs", {line.at("factor_median_s")}}, {"setup_seconds", 0}};
  return {0,
          "",
          {{"ordering", {{"seconds", line.at("analyse_s")}}},
           {"symbolic", {{"seconds", 0}}},
           {"factor", factor},
           {"solve", {{"seconds", line.at("solve_s")}}}},
          {}};
}

}  // namespace

std::string why_no_cholmod() {
  if (!command().empty()) return {};
  return fmt::format(
      "CHOLMOD is missing: {} is not beside this program; install libsuitesparse-dev and build "
      "with "
      "ESPALIER_TESTS, or name a folder with peer_cholmod in PEERS",
      built_program);
}

ProgramRun run_cholmod(const RunCase& what, const RunMode& mode) {
  const ScratchFolder scratch;
  std::vector<std::string> words = command();
  words.push_back(what.matrix);
  std::vector<std::string> changes{fmt::format("REPEATS={}", mode.factorizations),
                                   "ORDERING=metis"};
  for (const char* const name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    changes.push_back(fmt::format("{}={}", name, what.workers));
  }
  const Child child(words, {changes, Environment::Starpu::handed_on}, scratch.file("output"),
                    "check that the program still exists");
  const int code = wait_unless_interrupted(child, [&] { scratch.remove(); });
  const std::string output = content_of(scratch.file("output"));
  if (code != 0) return {code, "CHOLMOD: " + output.substr(0, output.find('\n')), {}, {}};
  try {
    return result_of(line_in(output));
  } catch (const Json::exception&) {
    return {static_cast<int>(ErrorCode::device), "CHOLMOD's program printed no result", {}, {}};
  }
}

}  // namespace espalier::internal
