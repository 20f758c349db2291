// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace espalier::internal {

/// The environment of this process with some variables set anew, as "NAME=VALUE".
class Environment {
 public:
  /// Whether variables of StarPU, STARPU_*, are handed on where they are not set anew.
  enum class Starpu { handed_on, left_out };

  Environment(const std::vector<std::string>& changes, Starpu starpu);
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> owned_;
  std::vector<char*> pointers_;
};

/// A command with all that it prints in a file, and the processes that it starts, all in a group.
class Child {
 public:
  /// Throws RuntimeFailure, which ends with the advice, where the command cannot be started.
  Child(std::vector<std::string> words, Environment environment,
        const std::filesystem::path& output, const std::string& advice);

  /// Returns the exit code, or 128 and the signal.
  int wait() const;
  void kill_all() const;

 private:
  pid_t process_ = 0;
};

/// Returns what the child ended with. A signal to this program ends it and all that it has started,
/// then does `clean`, and this call does not return.
int wait_unless_interrupted(const Child& child, const std::function<void()>& clean);

/// Returns all of a file, nothing where it cannot be read.
std::string content_of(const std::filesystem::path& path);

/// Returns what the program said that it failed with, without its name before: the first such line
/// of its output; empty where there is none.
std::string failure_in(const std::string& output);

}  // namespace espalier::internal
