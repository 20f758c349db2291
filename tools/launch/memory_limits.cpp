// SPDX-License-Identifier: BSD-3-Clause
#include "launch/memory_limits.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/memory.hpp"
#include "codelets/cpu/blas.hpp"
#include "espalier/error.hpp"
#include "launch/environment.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t kibibyte = std::size_t{1} << 10;
constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t blas_buffer = 128 * mebibyte;
constexpr std::size_t stack = 8 * mebibyte;
/// Malloc's arena of a thread; reserved address space, mostly unused.
constexpr std::size_t arena = 64 * mebibyte;

/// Memory that is mapped but never touched, unmapped with this object. It uses no pages, except on
/// systems that do not overcommit memory.
class Mapping {
 public:
  Mapping(std::size_t bytes, int protection)
      : bytes_(std::max(bytes, std::size_t{1})),
        at_(mmap(nullptr, bytes_, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  }
  ~Mapping() {
    if (succeeded()) munmap(at_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  bool succeeded() const { return at_ != MAP_FAILED; }
  void* data() const { return at_; }

 private:
  std::size_t bytes_;
  void* at_;
};

bool is_limited(int resource) {
  rlimit limit{};
  return getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 &&
         limit.rlim_cur != RLIM_INFINITY;
}

bool has_space_for_all_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return false;
  return Mapping(CPU_COUNT(&cores) * blas_buffer, PROT_READ | PROT_WRITE).succeeded();
}

/// Returns the number of threads of all users, or 0 if the system does not report it. Uses system
/// calls directly, because a preloaded library may replace the C functions and is not initialized
/// yet.
std::size_t all_threads() {
  const auto file = syscall(SYS_openat, AT_FDCWD, "/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const bool is_read = syscall(SYS_read, file, text.data(), text.size() - 1) > 0;
  syscall(SYS_close, file);
  const char* const runnable_of_all = is_read ? std::strchr(text.data(), '/') : nullptr;
  return runnable_of_all == nullptr ? 0 : std::strtoul(runnable_of_all + 1, nullptr, 10);
}

/// Returns whether the limit on the user's threads may be too low for one thread per core.
bool may_lack_threads() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return limit.rlim_cur < all_threads() + CPU_SETSIZE;
}

constexpr const char* one_thread = "OPENBLAS_NUM_THREADS=1";

/// Returns whether both assign the same variable.
bool is_same_variable(const char* one, const char* other) {
  const std::size_t name = std::strcspn(one, "=");
  return std::strncmp(one, other, name + 1) == 0;
}

/// Starts the same program with the same arguments and one more variable, given as NAME=VALUE.
/// Returns only if that fails.
void start_again(char** argv, char** environment, const char* setting) {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return;
  std::size_t count = 0;
  while (environment[count] != nullptr) ++count;
  const Mapping copy((count + 2) * sizeof(const char*), PROT_READ | PROT_WRITE);
  if (!copy.succeeded()) return;
  const char** at = static_cast<const char**>(copy.data());
  *at++ = setting;
  for (char** variable = environment; *variable != nullptr; ++variable) {
    if (!is_same_variable(setting, *variable)) *at++ = *variable;
  }
  *at = nullptr;
  execve(path.data(), argv, static_cast<char**>(copy.data()));
}

}  // namespace

void limit_blas_threads(int /*argc*/, char** argv, char** environment) noexcept {
  for (char** variable = environment; *variable != nullptr; ++variable) {
    if (std::strcmp(*variable, one_thread) == 0) return;
  }
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA) && !may_lack_threads() &&
      has_space_for_all_cores()) {
    return;
  }
  start_again(argv, environment, one_thread);
  constexpr std::string_view message =
      "espalier: memory or threads are limited, and the program cannot start itself again with one "
      "thread of "
      "the BLAS; set OPENBLAS_NUM_THREADS=1\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  _exit(static_cast<int>(ErrorCode::device));
}

void take_better_blas_core(char** argv) {
  if (std::getenv(blas_core_variable) != nullptr) return;
  const std::string better = better_blas_core();
  if (better.empty()) return;
  start_again(argv, environ, (std::string(blas_core_variable) + "=" + better).c_str());
}

void expect_stack_for_threads() {
  constexpr std::size_t least_stack = 512 * kibibyte;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least_stack) return;
  throw MemoryError("the limit on stacks (ulimit -s) is " +
                    readable_bytes(static_cast<Count>(limit.rlim_cur)) + ", but threads need " +
                    readable_bytes(static_cast<Count>(least_stack)) + "; raise it");
}

void expect_memory_for_workers(Index workers, Count bytes) {
  expect_stack_for_threads();
  static Index buffers = 0;  // number of buffers reserved by earlier calls
  const auto count = static_cast<std::size_t>(workers);
  const auto missing = static_cast<std::size_t>(std::max(workers - buffers, 0));
  const std::size_t written =
      missing * blas_buffer + (count + other_threads) * stack + static_cast<std::size_t>(bytes);
  const std::size_t reserved = count * arena;
  if (const Mapping first(written, PROT_READ | PROT_WRITE), second(reserved, PROT_NONE);
      !first.succeeded() || !second.succeeded()) {
    throw MemoryError("about " + readable_bytes(static_cast<Count>(written + reserved)) +
                      " of address space are needed for " + std::to_string(workers) +
                      " workers, more than the limits (ulimit -v, ulimit -d) leave; raise them or "
                      "use fewer --workers");
  }
  take_blas_buffers(workers);
  buffers = std::max(buffers, workers);
}

}  // namespace espalier::internal
