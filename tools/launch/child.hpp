// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

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

/// A running command whose output goes to a file. The command and the processes that it starts form
/// one process group.
class Child {
 public:
  /// Starts the command. Throws RuntimeFailure, with the advice at the end of the message, if the
  /// command cannot be started.
  Child(std::vector<std::string> words, Environment environment,
        const std::filesystem::path& output, const std::string& advice);

  /// Returns the exit code, or 128 plus the signal that ended the command.
  int wait() const;
  void kill_all() const;

 private:
  pid_t process_ = 0;
};

/// Returns the exit code of the child, as wait() does. If a signal reaches this program, the child
/// and all its processes are ended, `clean` is called, and this call does not return.
int wait_unless_interrupted(const Child& child, const std::function<void()>& clean);

/// Returns the content of a file, or an empty string if it cannot be read.
std::string content_of(const std::filesystem::path& path);

/// Returns the first error message of the program in its output, without "espalier: ", or an empty
/// string if there is none.
std::string failure_in(const std::string& output);

}  // namespace espalier::internal
