// SPDX-License-Identifier: BSD-3-Clause
#include "launch/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
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

Child::Child(std::vector<std::string> words, Environment environment,
             const std::filesystem::path& output, const std::string& advice) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed = posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(),
                                  environment.get());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw RuntimeFailure(words[0] + " cannot be started; " + advice);
}

int Child::wait() const {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Child::kill_all() const { kill(-process_, SIGKILL); }

int wait_unless_interrupted(const Child& child, const std::function<void()>& clean) {
  std::atomic<bool> interrupted = false;
  const SignalEnding ending([&](int signal) {
    interrupted = true;
    child.kill_all();
    clean();
    return Ending{"interrupted", 128 + signal};
  });
  const int code = child.wait();
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
