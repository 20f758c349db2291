// SPDX-License-Identifier: BSD-3-Clause
#include "common/plot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "espalier/error.hpp"

namespace espalier {

namespace {

namespace fs = std::filesystem;

/// Beside the installed program, or in the sources that it was built from.
fs::path find_script(const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const place : {"../share/espalier", "../../tools/plot"}) {
    const fs::path script = folder / place / name;
    if (fs::exists(script, error)) return script;
  }
  throw RuntimeFailure("the script " + name + " is neither in " +
                       (folder / "../share/espalier").lexically_normal().string() + " nor in " +
                       (folder / "../../tools/plot").lexically_normal().string() +
                       "; install Espalier again");
}

}  // namespace

void run_plot(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"python3", find_script(script).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, "python3", nullptr, nullptr, argv.data(), environ) != 0) {
    throw RuntimeFailure("python3 cannot be run; install it to draw pictures");
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw RuntimeFailure("the picture was not drawn; see the message of " + script + " above");
  }
}

}  // namespace espalier
