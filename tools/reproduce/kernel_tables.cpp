// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/kernel_tables.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "compare/program_run.hpp"
#include "launch/child.hpp"
#include "launch/environment.hpp"

namespace espalier::internal {

namespace {

/// Runs `calibrate` with these options. StarPU's own models also go to the folder. Returns the
/// reason of a failure, or an empty string.
std::string calibrate(const ScratchFolder& folder, std::vector<std::string> options) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(),
                                 "calibrate", "--quick", "--quiet"};
  words.insert(words.end(), options.begin(), options.end());
  const int code = run_unless_interrupted(
      {std::move(words),
       {{"STARPU_PERF_MODEL_DIR=" + folder.path().string()}, Environment::Starpu::handed_on},
       folder.file("output"),
       "check that the program still exists"},
      [&] { folder.remove(); });
  return code == 0 ? "" : reason_of(code, content_of(folder.file("output")));
}

}  // namespace

KernelTables::KernelTables() {
  set_variable("XDG_DATA_HOME", folder_.path());
  failure_ = calibrate(folder_, {});
  if (failure_.empty()) failure_ = calibrate(folder_, {"--coprocessors", "1"});
}

}  // namespace espalier::internal
