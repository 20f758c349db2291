// SPDX-License-Identifier: BSD-3-Clause
//
// Makes one of the file operations of a process fail. It is preloaded, and these variables control
// it:
//
// FAIL_IN=FOLDER  Counts the calls for files below this folder.
// FAIL_AT=N       The N-th call fails.
// FAIL_LOG=PATH   Writes the name of each call to this file, one per line.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void log(std::string_view call) {
  const std::string path(variable("FAIL_LOG"));
  if (path.empty()) return;
  static auto* const append = next<int(const char*, int, ...)>("open");
  static auto* const put = next<ssize_t(int, const void*, std::size_t)>("write");
  const int file = append(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = std::string(call) + "\n";
  [[maybe_unused]] const auto written = put(file, line.data(), line.size());
  next<int(int)>("close")(file);
}

/// Returns whether this call for a file must fail with `error`.
bool fails(const char* call, std::string_view path, int error) {
  static std::atomic<long> calls;
  static const std::string folder(variable("FAIL_IN"));
  static const long chosen = std::strtol(std::string(variable("FAIL_AT")).c_str(), nullptr, 10);
  if (folder.empty() || path.substr(0, folder.size()) != folder) return false;
  const bool failing = ++calls == chosen;
  log(call);
  if (failing) errno = error;
  return failing;
}

std::string path_of(int descriptor) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(const char*, int, ...)>("open");
  return fails("open", path, EACCES) ? -1 : real(path, flags, mode);
}

/// Same function, because long has 64 bits.
[[gnu::alias("open")]] int open64(const char* path, int flags, ...);

ssize_t read(int file, void* data, std::size_t bytes) {
  static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
  return fails("read", path_of(file), EIO) ? -1 : real(file, data, bytes);
}

ssize_t write(int file, const void* data, std::size_t bytes) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  return fails("write", path_of(file), ENOSPC) ? -1 : real(file, data, bytes);
}

int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  return fails("fsync", path_of(file), EIO) ? -1 : real(file);
}

/// Closes the descriptor even if the call fails, as Linux does.
int close(int file) {
  static auto* const real = next<int(int)>("close");
  const bool failing = fails("close", path_of(file), EIO);
  const int result = real(file);
  if (failing) errno = EIO;
  return failing ? -1 : result;
}

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return fails("rename", to, EIO) ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  return fails("linkat", to, ENOSPC) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return fails("mkdir", path, ENOSPC) ? -1 : real(path, mode);
}
}
