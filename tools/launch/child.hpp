// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace espalier::internal {

/// The environment of this process with changes. Each change has the form "NAME=VALUE".
class Environment {
 public:
  /// Whether STARPU_* variables that are not among the changes are passed on.
  enum class Starpu { handed_on, left_out };

  Environment(const std::vector<std::string>& changes, Starpu starpu);
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> owned_;
  std::vector<char*> pointers_;
};

/// A command to run in a new process.
struct ChildCommand {
  std::vector<std::string> words;
  Environment environment;
  std::filesystem::path output;  ///< file for the output and for error messages
  std::string advice;            ///< end of the message if the command cannot be started
};

/// Runs a command and waits for it. Returns its exit code, or 128 plus the signal that ended it. If
/// a signal reaches this program meanwhile, the command and all processes that it has started are
/// ended, `clean` is called, and this call does not return. Throws RuntimeFailure if the command
/// cannot be started.
int run_unless_interrupted(ChildCommand command, const std::function<void()>& clean);

/// Returns the content of a file, or an empty string if it cannot be read.
std::string content_of(const std::filesystem::path& path);

/// Returns the first error message of the program in its output, without "espalier: ", or an empty
/// string if there is none.
std::string failure_in(const std::string& output);

}  // namespace espalier::internal
