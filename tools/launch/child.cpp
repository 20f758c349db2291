// SPDX-License-Identifier: BSD-3-Clause
#include "launch/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string_view>

#include "espalier/error.hpp"
#include "launch/signals.hpp"

namespace espalier::internal {

Environment::Environment(const std::vector<std::string>& changes, Starpu starpu) : owned_(changes) {
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string variable = *at;
    const std::string name = variable.substr(0, variable.find('=') + 1);
    const bool changed = std::ranges::any_of(
        changes, [&](const std::string& change) { return change.starts_with(name); });
    const bool left_out = starpu == Starpu::left_out && name.starts_with("STARPU_");
    if (!changed && !left_out) pointers_.push_back(*at);
  }
  for (std::string& change : owned_) pointers_.push_back(change.data());
  pointers_.push_back(nullptr);
}

namespace {

/// Starts a command as the leader of a new process group. Returns its process.
pid_t started(ChildCommand& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.words.size() + 1);
  for (std::string& word : command.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, command.output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(),
                                  command.environment.get());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw RuntimeFailure(command.words[0] + " cannot be started; " + command.advice);
  }
  return process;
}

int code_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_unless_interrupted(ChildCommand command, const std::function<void()>& clean) {
  std::mutex starting;  // a signal waits until the process has started
  pid_t process = 0;
  std::atomic<bool> interrupted = false;
  const SignalEnding ending([&](int signal) {
    const std::lock_guard lock(starting);
    interrupted = true;
    if (process != 0) kill(-process, SIGKILL);
    clean();
    return Ending{"interrupted", 128 + signal};
  });
  {
    const std::lock_guard lock(starting);
    if (!interrupted) process = started(command);
  }
  const int code = process != 0 ? code_of(process) : 0;
  while (interrupted) pause();  // another thread ends the program
  return code;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string failure_in(const std::string& output) {
  constexpr std::string_view sign = "espalier: ";
  const auto at = output.find(sign);
  if (at == std::string::npos) return {};
  const auto begin = at + sign.size();
  return output.substr(begin, output.find('\n', begin) - begin);
}

}  // namespace espalier::internal
