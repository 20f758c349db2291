// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>

#include "compare/comparison.hpp"
#include "espalier/error.hpp"
#include "launch/child.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Open MPI starts as many ranks as the figure asks for, also where there are fewer cores, and as
/// root, who has started this program.
const std::vector<std::string> launcher_variables{
    "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none",
    "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};

class Scratch {
 public:
  Scratch() {
    std::string name = fs::temp_directory_path() / "espalier-reproduce-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw RuntimeFailure("no folder can be made in " + fs::temp_directory_path().string() +
                           "; set TMPDIR to one with room");
    }
    folder_ = name;
  }
  ~Scratch() { remove(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path file(const char* name) const { return folder_ / name; }
  void remove() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

 private:
  fs::path folder_;
};

RunResult failed(const std::string& reason) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {none, none, {}, reason};
}

/// Returns what a run printed as the reason of its failure, in one sentence.
std::string reason_of(int code, const std::string& output) {
  const std::string said = failure_in(output);
  return said.empty() ? fmt::format("it ended with code {}", code) : said;
}

std::string name_of(const RunCase& what) {
  return fmt::format("{} by {}, {} x {} workers{}", what.matrix, what.policy, what.ranks,
                     what.workers, what.devices > 0 ? " and devices" : "");
}

/// Returns the median of the factorizations but the first one, where there are several.
double warm_seconds(const nlohmann::ordered_json& report) {
  std::vector<double> runs = report.at("factor").at("runs");
  if (runs.size() > 1) runs.erase(runs.begin());
  return median(runs);
}

}  // namespace

std::vector<std::string> Runs::command(const RunCase& what, const std::string& report) const {
  std::vector<std::string> words;
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (!simulated() && what.ranks > 1) add({"mpirun", "-n", std::to_string(what.ranks)});
  add({fs::read_symlink("/proc/self/exe").string(), simulated() ? "simulate" : "solve"});
  add({what.matrix, "--workers", std::to_string(what.workers), "--quiet", "--report", report});
  if (what.devices > 0) {
    add({settings_.has_cuda ? "--cuda-devices" : "--coprocessors", std::to_string(what.devices)});
  }
  if (simulated()) {
    add({"--machine", settings_.machine, "--nodes", std::to_string(what.ranks), "--sched",
         what.policy});
  } else {
    const PolicyChoice policy = parse_policies(what.policy, true).front();
    add({"--repeat", std::to_string(settings_.factorizations), "--sched", policy.name});
    for (const std::string& option : policy.options) add({"--sched-option", option});
  }
  words.insert(words.end(), what.options.begin(), what.options.end());
  return words;
}

RunResult Runs::run_once(const RunCase& what) const {
  const Scratch scratch;
  const fs::path report = scratch.file("report.json");
  const fs::path output = scratch.file("output");
  const Child child(command(what, report), {launcher_variables, Environment::Starpu::handed_on},
                    output, "install MPI's mpirun: tools/setup.sh does");
  const int code = wait_unless_interrupted(child, [&] { scratch.remove(); });
  if (code != 0) return failed(reason_of(code, content_of(output)));
  RunResult result;
  result.report = nlohmann::ordered_json::parse(content_of(report));
  result.factor_seconds = warm_seconds(result.report);
  result.solve_seconds = result.report.at("solve").at("seconds");
  return result;
}

void Runs::measure(std::span<const RunCase> cases) {
  std::set<RunCase> open;
  for (const RunCase& what : cases) {
    if (!done_.contains(what)) open.insert(what);
  }
  std::map<RunCase, std::vector<double>> factor;
  std::map<RunCase, std::vector<double>> solve;
  const Index rounds = simulated() ? 1 : settings_.rounds;
  for (Index round = 0; round < rounds; ++round) {
    for (const RunCase& what : open) {
      RunResult& done = done_[what];
      if (!done.failure.empty()) continue;
      progress_.begin(fmt::format("round {} of {}: {}", round + 1, rounds, name_of(what)));
      done = run_once(what);
      factor[what].push_back(done.factor_seconds);
      solve[what].push_back(done.solve_seconds);
    }
  }
  progress_.end();
  for (const RunCase& what : open) {
    RunResult& done = done_[what];
    if (!done.failure.empty()) continue;
    done.factor_seconds = median(factor[what]);
    done.solve_seconds = median(solve[what]);
  }
}

const RunResult& Runs::result(const RunCase& what) {
  if (!done_.contains(what)) measure({&what, 1});
  return done_.at(what);
}

std::string Runs::failure_of_all() const {
  const auto failed = [](const auto& done) { return !done.second.failure.empty(); };
  return std::ranges::all_of(done_, failed) && !done_.empty() ? done_.begin()->second.failure : "";
}

}  // namespace espalier::internal
