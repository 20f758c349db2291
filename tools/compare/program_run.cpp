// SPDX-License-Identifier: BSD-3-Clause
#include "compare/program_run.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/outputs.hpp"
#include "compare/comparison.hpp"
#include "espalier/error.hpp"
#include "launch/child.hpp"
#include "launch/coprocessors.hpp"
#include "launch/ranks.hpp"
#include "launch/scratch_folder.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;

/// Variables for Open MPI: it may start more ranks than cores, and may start ranks as root, if root
/// started this program.
const std::vector<std::string> launcher_variables{
    "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none",
    "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};

constexpr const char* report_name = "report.json";
constexpr const char* tuning_name = "tuning.json";

std::vector<std::string> command_of(const RunCase& what, const RunMode& mode,
                                    const ScratchFolder& scratch) {
  std::vector<std::string> words;
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  const bool simulated = mode.simulated();
  if (!simulated && what.ranks > 1) add({"mpirun", "-n", std::to_string(what.ranks)});
  add({fs::read_symlink("/proc/self/exe").string(), simulated ? "simulate" : "solve"});
  add({what.matrix, "--quiet", "--report", scratch.file(report_name)});
  if (what.workers > 0) add({"--workers", std::to_string(what.workers)});
  if (what.devices > 0) {
    add({mode.has_cuda ? "--cuda-devices" : "--coprocessors", std::to_string(what.devices)});
  }
  if (simulated) {
    add({"--machine", mode.machine, "--nodes", std::to_string(what.ranks), "--sched", what.policy});
  } else {
    const PolicyChoice policy = parse_policies(what.policy, true).front();
    add({"--repeat", std::to_string(mode.factorizations)});
    for (const std::string& word : policy.words()) add({word});
    if (mode.traced) add({"--trace", scratch.path()});
    if (!what.tuning.empty()) add({"--tuning", scratch.file(tuning_name)});
  }
  words.insert(words.end(), what.options.begin(), what.options.end());
  return words;
}

}  // namespace

std::string reason_of(int code, const std::string& output) {
  const std::string said = failure_in(output);
  return said.empty() ? fmt::format("it ended with code {}", code) : said;
}

void expect_alone(const std::string& command) {
  if (launched_ranks() == 1 && !has_coprocessors()) return;
  throw UsageError(command +
                   " starts ranks and coprocessors itself; run it alone, with --ranks or "
                   "--coprocessors");
}

ProgramRun run_program(const RunCase& what, const RunMode& mode) {
  const ScratchFolder scratch;
  if (!what.tuning.empty()) write_text(scratch.file(tuning_name), [&] { return what.tuning; });
  const bool needs_mpirun = what.ranks > 1 && !mode.simulated();
  ProgramRun run;
  run.code = run_unless_interrupted({command_of(what, mode, scratch),
                                     {launcher_variables, Environment::Starpu::handed_on},
                                     scratch.file("output"),
                                     needs_mpirun ? "install MPI's mpirun: tools/setup.sh does"
                                                  : "check that the program still exists"},
                                    [&] { scratch.remove(); });
  if (run.code != 0) {
    run.failure = reason_of(run.code, content_of(scratch.file("output")));
    return run;
  }
  run.report = nlohmann::ordered_json::parse(content_of(scratch.file(report_name)));
  if (mode.traced)
    run.trace = nlohmann::ordered_json::parse(content_of(scratch.file("trace.json")));
  return run;
}

}  // namespace espalier::internal
