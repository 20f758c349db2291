// SPDX-License-Identifier: BSD-3-Clause

#include "launch/coprocessors.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "launch/environment.hpp"
#include "launch/starpu_variables.hpp"
#include "runtime/starpu/coprocessor.hpp"

namespace espalier::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds poll_interval{5};
/// Maximum time to wait until StarPU listens on the port. A coprocessor that connects earlier would
/// have to wait for a second.
constexpr milliseconds until_it_listens{2000};
/// Maximum time to wait until a lost or interrupted process has ended.
constexpr milliseconds until_it_ends{2000};
constexpr const char* this_host = "127.0.0.1";
constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

volatile sig_atomic_t working_process = 0;

void forward(int signal) {
  if (working_process > 0) kill(working_process, signal);
}

[[noreturn]] void system_failed(const char* what) {
  throw RuntimeFailure(fmt::format("coprocessors cannot be started: {}: {}", what,
                                   std::generic_category().message(errno)));
}

/// The arguments of this process, in the form that exec takes.
class ProgramArguments {
 public:
  ProgramArguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    for (std::size_t at = 0; at < text_.size(); at += std::strlen(&text_[at]) + 1) {
      argument_.push_back(&text_[at]);
    }
    argument_.push_back(nullptr);
  }
  char** get() { return argument_.data(); }

 private:
  std::string text_;
  std::vector<char*> argument_;
};

/// Returns whether no process uses the port at the moment.
bool is_free(int port) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s < 0) system_failed("no TCP/IP socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool bound = bind(s, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(s);
  return bound;
}

/// Returns a port that no process uses at the moment. It is below the range that the system assigns
/// to programs that ask for any port. Ranks of MPI do that, and one of them might take a port in
/// that range before StarPU listens there.
int free_port() {
  constexpr int usual_begin = 32768, attempts = 1000;
  int given_from = usual_begin;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> given_from;
  if (given_from < usual_begin / 2) given_from = usual_begin;
  std::random_device bits;
  std::uniform_int_distribution<int> ports(given_from / 2, given_from - 1);
  for (int k = 0; k < attempts; ++k) {
    if (const int port = ports(bits); is_free(port)) return port;
  }
  system_failed("no TCP/IP port is free");
}

/// Returns whether a process listens on the port, according to the table of the system.
bool is_listened_to(int port) {
  const std::string local = fmt::format(":{:04X} ", port);
  const std::string listening = " 0A ";
  std::ifstream table("/proc/net/tcp");
  std::string line;
  while (std::getline(table, line)) {
    if (line.find(local) < line.find(listening) && line.find(listening) != std::string::npos) {
      return true;
    }
  }
  return false;
}

/// Makes StarPU measure the buses in both processes of a connection, unless the measurements exist.
/// Otherwise each process would check for itself whether they exist. If another run wrote them
/// between the two checks, one process would measure and wait for the other forever. The file that
/// is checked here is among the last files that StarPU writes.
void measure_buses_together() {
  const char* const host = std::getenv("STARPU_HOSTNAME");
  const auto file = measurements_folder() / "bus" / fmt::format("{}.config", host);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (error || bytes == 0) set_variable("STARPU_BUS_CALIBRATE", "1", WhereSet::keep);
}

/// Returns a secret that only the processes of this run share.
std::string new_secret() {
  std::random_device bits;  // uses the generator of the operating system
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", bits(), bits(), bits(), bits());
}

/// Sets the variables that all processes share. StarPU measures the buses of a machine, and
/// measures again if their number has changed. With coprocessors the machine therefore gets another
/// host name.
void set_environment(const Coprocessors& coprocessors, int port) {
  const Index workers = coprocessors.threads / coprocessors.threads_of_worker();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  set_variable("STARPU_HOSTNAME", fmt::format("{}.{}x{}", host.data(), coprocessors.count, workers),
               WhereSet::keep);
  set_variable("STARPU_WORKERS_NOBIND", "1", WhereSet::keep);
  set_variable("STARPU_TCPIP_MS_SLAVES", std::to_string(coprocessors.count));
  set_variable("STARPU_NTCPIPMSTHREADS", std::to_string(workers));
  set_variable(coprocessor_threads_variable, std::to_string(coprocessors.threads_of_worker()));
  set_variable("STARPU_TCPIP_MS_PORT", std::to_string(port));
  set_variable("STARPU_TCPIP_MS_BIND", this_host);
  set_variable("STARPU_TCPIP_MS_SECRET", new_secret());
  measure_buses_together();
}

/// Returns how a process failed, or nothing if it ended with exit code 0.
std::optional<std::string> failure_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the launching process has one thread
    return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  }
  if (WEXITSTATUS(status) != 0) return fmt::format("ended with code {}", WEXITSTATUS(status));
  return std::nullopt;
}

/// Returns whether a process ended because the reader of its output had ended.
bool lost_connection(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE; }

/// The processes that this program has started: the worker process and the coprocessors.
class Family {
 public:
  Family() = default;
  ~Family() {
    working_process = 0;
    for (const pid_t pid : coprocessors_) end(pid, SIGKILL);
    end(worker_, SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  void start_worker() {
    worker_ = start([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
    working_process = worker_;
  }

  void start_coprocessor() {
    // A signal from the terminal reaches all processes, so coprocessors ignore it.
    coprocessors_.push_back(start([] {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const int signal : forwarded) std::signal(signal, SIG_IGN);
      set_variable("STARPU_TCPIP_MS_MASTER", this_host);
    }));
  }

  /// Waits until one of the processes ends, or until the given time. Returns false if that time
  /// passes.
  bool wait(std::optional<steady_clock::time_point> end = std::nullopt) {
    while (true) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, end ? WNOHANG : 0);
      if (pid > 0) {
        enter(pid, status);
        return true;
      }
      if (pid < 0 && errno != EINTR) return false;
      if (!end) continue;
      if (steady_clock::now() > *end) return false;
      std::this_thread::sleep_for(poll_interval);
    }
  }

  const std::optional<int>& result() const { return result_; }
  /// Returns which coprocessor was lost and how, or an empty string.
  const std::string& loss() const { return loss_; }
  /// Returns whether the cause of the loss is known. A broken connection is only an effect of
  /// another loss.
  bool knows_cause() const { return !loss_.empty() && !loss_is_effect_; }
  void end_worker(int signal) const { end(worker_, signal); }

 private:
  static constexpr pid_t ended = 0;  ///< because kill() with 0 would reach the whole process group

  static void end(pid_t pid, int signal) {
    if (pid != ended) kill(pid, signal);
  }

  template <class Prepare>
  pid_t start(Prepare prepare) {
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) system_failed("no other process");
    if (pid > 0) return pid;
    prepare();
    if (getppid() == parent) execv("/proc/self/exe", arguments_.get());
    _exit(static_cast<int>(ErrorCode::device));
  }

  void enter(pid_t pid, int status) {
    if (pid == worker_) {
      worker_ = ended;
      working_process = 0;
      result_ = status;
      return;
    }
    const auto at = std::find(coprocessors_.begin(), coprocessors_.end(), pid);
    const auto failure = failure_of(status);
    const bool is_effect = lost_connection(status);
    if (failure && (loss_.empty() || (loss_is_effect_ && !is_effect))) {
      loss_ = fmt::format("coprocessor {} of {} (process {}) {}", at - coprocessors_.begin() + 1,
                          coprocessors_.size(), pid, *failure);
      loss_is_effect_ = is_effect;
    }
    *at = ended;
  }

  ProgramArguments arguments_;
  pid_t worker_ = ended;
  std::vector<pid_t> coprocessors_;
  std::optional<int> result_;  ///< status as returned by waitpid()
  std::string loss_;
  bool loss_is_effect_ = false;
};

void forward_signals() {
  for (const int signal : forwarded) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) std::signal(signal, forward);
  }
}

/// Waits until the lost process has ended, so that the cause is known. Other processes notice the
/// loss earlier, because connections break before the process has ended.
void find_cause(Family& family, milliseconds at_most) {
  const auto until = steady_clock::now() + at_most;
  while (!family.knows_cause() && family.wait(until)) {
  }
}

/// Ends the worker process. It may have noticed the loss and ended already, or it may hang.
void end_after_loss(Family& family) {
  family.end_worker(SIGUSR1);
  const auto end = steady_clock::now() + until_it_ends;
  while (!family.result() && family.wait(end)) {
  }
}

}  // namespace

bool has_coprocessors() { return std::getenv("STARPU_TCPIP_MS_SLAVES") != nullptr; }

int run_with_coprocessors(const Coprocessors& coprocessors) {
  if (!coprocessors_supported()) {
    throw UsageError(
        "this StarPU has no TCP/IP master-slave workers, which coprocessors need; build it with "
        "--enable-tcpip-master-slave, as tools/setup.sh does");
  }
  if (!coprocessors_are_safe()) {
    throw UsageError(
        "this StarPU would accept connections from any user while coprocessors start; "
        "build the one of tools/setup.sh, which has tools/starpu/starpu-safe-connections.patch");
  }
  expect_usable_variables();  // here, because otherwise each process would print the same error
  const int port = free_port();
  set_environment(coprocessors, port);
  Family family;
  forward_signals();
  family.start_worker();
  const auto end = steady_clock::now() + until_it_listens;
  while (!family.result() && !is_listened_to(port) && steady_clock::now() < end) {
    family.wait(steady_clock::now());
    std::this_thread::sleep_for(poll_interval);
  }
  for (Index k = 0; k < coprocessors.count; ++k) family.start_coprocessor();
  while (!family.result() && family.loss().empty()) family.wait();
  if (!family.loss().empty()) find_cause(family, until_it_ends);
  if (!family.result()) end_after_loss(family);
  const int status = family.result().value_or(SIGKILL);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 128 + SIGUSR1) return WEXITSTATUS(status);
  find_cause(family, lost_connection(status) ? until_it_ends : milliseconds(0));
  if (family.loss().empty()) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  throw RuntimeFailure(family.loss() + ", so the run ended; run it again, or without coprocessors");
}

}  // namespace espalier::internal
