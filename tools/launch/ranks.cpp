// SPDX-License-Identifier: BSD-3-Clause

#include "launch/ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "launch/memory_limits.hpp"
#include "matrix/pending_file.hpp"

namespace espalier::internal {

namespace {

/// Time within which all ranks must meet the same error.
constexpr std::chrono::seconds patience{3};
/// Time that a rank gives the previous one to report the same error.
constexpr std::chrono::milliseconds turn{200};
/// Time from the end of one rank until mpirun asks the other ranks to end. mpirun wakes stopped
/// ranks a second before it asks.
constexpr std::chrono::seconds mpirun_patience{2};
/// If a rank wakes this much too late, it concludes that it was stopped.
constexpr std::chrono::milliseconds wakes_late{500};
/// Maximum time for MPI to end all ranks.
constexpr std::chrono::seconds abort_patience{5};
/// A rank that is asked to end waits this long, so that the others can see that it still exists.
/// mpirun asks all ranks at once. It kills the remaining ones after a second, or after another rank
/// has ended.
constexpr std::chrono::milliseconds end_delay{400};
/// Maximum times, within `end_delay`, for the news that a rank has reported the reason: between
/// machines, and on one machine.
constexpr std::chrono::milliseconds news_delay{300};
constexpr std::chrono::milliseconds local_news_delay{50};

/// The variables in which a launcher passes the number of processes and the number of this one.
struct Launcher {
  const char* size;
  const char* rank;
};
/// The launchers. If one starts another, the inner one comes first. srun sets SLURM_STEP_NUM_TASKS
/// for its processes. SLURM_NTASKS does not count, because Slurm also sets it for the script of a
/// job.
constexpr std::array launchers{Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                               Launcher{"PMI_SIZE", "PMI_RANK"},
                               Launcher{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/// Returns the launcher that started this process, or null.
const Launcher* launcher() {
  const auto* const found = std::ranges::find_if(
      launchers, [](const Launcher& one) { return std::getenv(one.size) != nullptr; });
  return found == launchers.end() ? nullptr : found;
}

Index number_in(const char* variable, Index otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : static_cast<Index>(std::atol(value));
}

/// Returns the name and version of this MPI: the text of MPI_Get_library_version() up to a comma or
/// a line end.
std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

/// Whether the error that ends the program is already reported, or another rank will report it.
std::atomic<bool> reported = false;

/// Returns whether all ranks call this function within `patience`.
bool all_arrive(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS) return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  int arrived = 0;
  while (MPI_Test(&request, &arrived, MPI_STATUS_IGNORE) == MPI_SUCCESS && arrived == 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return arrived != 0;
}

/// Ignores SIGTERM. mpirun sends it after the first rank has ended with its code.
void ignore_request_to_end() { std::signal(SIGTERM, SIG_IGN); }

void print_failure(const std::string& message) {
  std::fprintf(stderr, "espalier: %s\n", message.c_str());
}

std::string lost_rank(Index rank, Index seconds) {
  return fmt::format(
      "rank {} gave no sign of life for {} seconds: it was killed or stopped, or its machine "
      "failed, so all ranks end; check its machine, or increase --watchdog",
      rank, seconds);
}

std::string missing_ranks(const std::vector<Index>& missing) {
  const bool one = missing.size() == 1;
  return fmt::format(
      "{} {} {} killed, or failed with {} machine, so all ranks end; check the messages of "
      "mpirun and of the machine, for example for a lack of memory",
      one ? "rank" : "ranks", fmt::join(missing, ", "), one ? "was" : "were",
      one ? "its" : "their");
}

std::string missing_start(std::chrono::seconds limit) {
  return fmt::format(
      "not all ranks have started within {} seconds: one was stopped, or its machine failed, so "
      "all ranks end; check the machines, or increase --watchdog",
      limit.count());
}

/// Returns whether f returns true within this time. MPI may hang in f after a rank has died.
bool holds_within(std::chrono::milliseconds time, std::function<bool()> f) {
  std::packaged_task<bool()> task(std::move(f));
  std::future<bool> result = task.get_future();
  std::thread(std::move(task)).detach();
  return result.wait_for(time) == std::future_status::ready && result.get();
}

/// Returns true when this time has passed, and false if a stop is requested earlier. If the thread
/// wakes late, this rank was stopped. Another rank has then reported that, and mpirun is about to
/// end this rank, so the function waits longer.
bool passes(std::chrono::milliseconds time, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any asked;
  Clock::time_point end = Clock::now() + time;
  while (true) {
    asked.wait_until(lock, stop, end, [] { return false; });
    if (stop.stop_requested()) return false;
    const Clock::time_point now = Clock::now();
    if (now < end + wakes_late) return true;
    end = now + mpirun_patience;
  }
}

/// Returns whether the process does not exist, or has ended without being waited for (a zombie).
bool is_dead(pid_t process) {
  if (kill(process, 0) != 0) return errno == ESRCH;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end, 3, ") Z") == 0;
}

bool mpi_was_used() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  return initialised != 0;
}

}  // namespace

Index launched_ranks() {
  const Launcher* const one = launcher();
  return one == nullptr ? 1 : std::max<Index>(1, number_in(one->size, 1));
}

Index launched_rank() {
  const Launcher* const one = launcher();
  return one == nullptr ? 0 : number_in(one->rank, 0);
}

void expect_launcher_of(const Communicator& world) {
  if (world.size() > 1 || launched_ranks() == 1) return;
  throw UsageError(fmt::format(
      "{0} says that {1} processes were started together, but the MPI of this program, {2}, sees "
      "only this one; start them with the mpirun of that MPI (under Slurm: srun --mpi=pmix), or "
      "unset {0} to run each by itself",
      launcher()->size, launched_ranks(), mpi_name()));
}

StartLimit::StartLimit(Index watchdog) {
  if (watchdog == 0) return;
  constexpr Index times = 10;
  const std::chrono::seconds limit{Count{times} * watchdog};
  waits_ = std::jthread([limit](const std::stop_token& stop) {
    if (!passes(limit + mpirun_patience * std::min(launched_rank(), Index{10}), stop)) return;
    ignore_request_to_end();
    if (!reported.exchange(true)) print_failure(missing_start(limit));
    _exit(static_cast<int>(ErrorCode::device));
  });
}

namespace {

using HostName = std::array<char, 256>;

HostName host_name() {
  HostName host{};
  gethostname(host.data(), host.size() - 1);
  return host;
}

}  // namespace

void expect_own_machines(const Communicator& world, const std::string& what) {
  std::vector<HostName> hosts = world.gather_from_all(host_name());
  std::ranges::sort(hosts);
  const auto shared = std::ranges::adjacent_find(hosts);
  if (shared == hosts.end()) return;
  throw UsageError(
      fmt::format("{} ranks are on {}, which {} needs to itself; start one on each machine, with "
                  "mpirun --map-by ppr:1:node",
                  std::ranges::count(hosts, *shared), shared->data(), what));
}

std::vector<RankGuard::Neighbour> RankGuard::neighbours(const Communicator& world) {
  struct Place {
    HostName host = host_name();
    pid_t process = getpid();
  } here;
  const std::vector<Place> all = world.gather_from_all(here);
  std::vector<Neighbour> seen;
  for (Index rank = 0; rank < world.size(); ++rank) {
    if (all[rank].host == here.host && !is_dead(all[rank].process)) {
      seen.push_back({rank, all[rank].process});
    }
  }
  return seen;
}

RankGuard::RankGuard(const Communicator& world, Index seconds)
    : world_(world),
      neighbours_(neighbours(world)),
      watchdog_(world.get(), seconds,
                [this, seconds](Index rank, bool announced) {
                  if (announced) reported = true;
                  end_all(lost_rank(rank, seconds), ErrorCode::device);
                }),
      ending_([this](int signal) { return asked_to_end(signal); }) {}

void RankGuard::run(const std::function<void()>& f) {
  try {
    f();
  } catch (...) {
    const CaughtError error = current_error();
    ignore_request_to_end();
    if (!all_arrive(world_.get())) {
      end_all(fmt::format("on rank {}: {}", world_.rank(), error.message), error.code);
    }
    if (!reported.exchange(true) && world_.is_root()) print_failure(error.message);
    all_arrive(world_.get());  // mpirun may kill the root if another rank ends before it
    throw;
  }
}

/// Ends all ranks with the message and the code. Does not return.
void RankGuard::end_all(const std::string& message, ErrorCode code) {
  const int status = static_cast<int>(code);
  ignore_request_to_end();
  remove_pending_files(std::chrono::seconds(1));
  watchdog_.announce_end();
  if (!reported.exchange(true)) print_failure(message);
  std::thread([status] {
    std::this_thread::sleep_for(abort_patience);
    _exit(status);
  }).detach();
  MPI_Abort(world_.get(), status);
  _exit(status);
}

std::vector<Index> RankGuard::dead_neighbours() const {
  std::vector<Index> dead;
  for (const auto& [rank, process] : neighbours_) {
    if (is_dead(process)) dead.push_back(rank);
  }
  return dead;
}

Ending RankGuard::asked_to_end(int signal) {
  const auto leaves = std::chrono::steady_clock::now() + end_delay;
  Ending ending = ending_now(signal);
  ending.leaves = leaves;
  return ending;
}

Ending RankGuard::ending_now(int signal) {
  const std::vector<Index> dead = dead_neighbours();
  const int lost = static_cast<int>(ErrorCode::device);
  if (reported.exchange(true)) return {"", lost};
  const auto announce = [this] { return watchdog_.announce_end(), true; };
  if (signal == SIGUSR1) {  // the sender prints the reason
    holds_within(news_delay, announce);
    return {"", 128 + signal};
  }
  const bool sees_all = static_cast<Index>(neighbours_.size()) == world_.size();
  const auto news = [this] {
    while (!watchdog_.end_is_announced()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  };
  if (holds_within(sees_all || !dead.empty() ? local_news_delay : news_delay, news)) {
    return {"", lost};
  }
  if (dead.empty() && !world_.is_root()) return {"", 128 + signal};
  // Before this rank ends, it tells the other ranks that it has reported the reason. A rank that is
  // asked to end later is then silent.
  const auto parting = [announce] { holds_within(news_delay, announce); };
  if (dead.empty()) return {"interrupted", 128 + signal, {}, parting};
  const auto first =
      std::find_if(neighbours_.begin(), neighbours_.end(), [&](const Neighbour& neighbour) {
        return std::find(dead.begin(), dead.end(), neighbour.rank) == dead.end();
      });
  if (first->rank != world_.rank()) return {"", lost};
  if (!sees_all) holds_within(news_delay, announce);
  return {missing_ranks(dead), lost, {}, parting};
}

void expect_memory_for_mpi(Index workers) {
  constexpr Count mpi = Count{256} << 20;  // libraries of MPI, and the memory that ranks share
  expect_memory_for_workers(workers, mpi);
}

void tell_failure(const CaughtError& failure) {
  if (reported.exchange(true)) return;
  if (launched_ranks() == 1 || mpi_was_used()) {
    if (launched_rank() == 0) print_failure(failure.message);
    return;
  }
  // There is no memory to start MPI. The rank that prints first ends all others.
  if (failure.code == ErrorCode::memory) {
    std::this_thread::sleep_for(turn * std::min(launched_rank(), Index{10}));
    return print_failure(fmt::format("on rank {}: {}", launched_rank(), failure.message));
  }
  reported = false;
  try {
    const MpiSession mpi;
    const Communicator world(MPI_COMM_WORLD);
    RankGuard(world, 0).run([&] { throw_error(failure); });
  } catch (const Error&) {
    // The guard has printed it.
  }
}

}  // namespace espalier::internal
