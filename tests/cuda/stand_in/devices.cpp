// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/devices.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda/stand_in/misuse.hpp"
#include "cuda/stand_in/settings.hpp"

namespace stand_in {

namespace {

constexpr int most_devices = 64;

/// Returns the machine's numbers of the devices that the process sees. STAND_IN_VISIBLE lists them
/// with commas, and the lists of several ranks with semicolons. By default all are visible.
std::vector<int> seen_devices() {
  const int all = static_cast<int>(number("STAND_IN_DEVICES", 1));
  std::vector<int> seen;
  const std::string lists = text("STAND_IN_VISIBLE", "all");
  if (lists == "all") {
    for (int device = 0; device < all; ++device) seen.push_back(device);
    return seen;
  }
  std::size_t begin = 0;
  for (auto rank = number("OMPI_COMM_WORLD_LOCAL_RANK", 0); rank > 0; --rank) {
    begin = lists.find(';', begin) + 1;
  }
  const std::string list = lists.substr(begin, lists.find(';', begin) - begin);
  for (std::size_t at = 0; at < list.size(); at = list.find(',', at)) {
    if (list[at] == ',') ++at;
    seen.push_back(std::atoi(list.c_str() + at));
    if (list.find(',', at) == std::string::npos) break;
  }
  return seen;
}

struct Devices {
  std::mutex mutex;
  const std::vector<int> seen = seen_devices();
  const std::size_t bytes = number("STAND_IN_BYTES", std::size_t{1} << 30);
  const std::size_t left = bytes - number("STAND_IN_TAKEN", 0);  ///< taken by other processes
  std::array<std::size_t, most_devices> used{};
  std::array<std::atomic<int>, most_devices> fate{};
  std::array<std::atomic<bool>, most_devices> has_context{};
  Counts counts;
  const std::string report = text("STAND_IN_REPORT", "");

  std::string list_of_contexts() const {
    std::string list;
    for (std::size_t device = 0; device < seen.size(); ++device) {
      if (has_context[device]) list += (list.empty() ? "" : ", ") + std::to_string(seen[device]);
    }
    return list;
  }
  void write_report() const {
    const std::string contexts = list_of_contexts();
    if (report.empty() || contexts.empty()) return;
    const std::string name = report + "/" + std::to_string(getpid()) + ".json";
    std::FILE* const file = std::fopen(name.c_str(), "w");
    if (file == nullptr) return;
    std::fprintf(file,
                 "{\"contexts\": [%s], \"kernels\": %ld, \"calls_of_libraries\": %ld, "
                 "\"copies\": %ld, \"pageable_copies\": %ld, \"pageable_bytes\": %ld, "
                 "\"bytes_to_devices\": %ld}\n",
                 contexts.c_str(), counts.kernels, counts.calls_of_libraries, counts.copies,
                 counts.pageable_copies, counts.pageable_bytes, counts.bytes_to_devices);
    std::fclose(file);
  }
};

/// Never destroyed, because StarPU's threads may outlive main().
Devices& all() {
  static auto* const made = new Devices;
  return *made;
}

struct ReportAtEnd {
  ~ReportAtEnd() { all().write_report(); }
};
const ReportAtEnd report_at_end;

thread_local int of_thread = 0;
thread_local cudaError_t last = cudaSuccess;

/// Makes a context at the first call that needs one. Another process may prevent that.
cudaError_t make_context(int device) {
  std::atomic<bool>& made = all().has_context[static_cast<std::size_t>(device)];
  if (!made && number("STAND_IN_BUSY", 0) != 0) return cudaErrorDevicesUnavailable;
  made = true;
  return cudaSuccess;
}

/// Returns the error of a function that fails. A call that lacks memory may be repeated; all
/// other errors lose the device.
cudaError_t failure_of(const std::string& function) {
  for (const char* part : {"Malloc", "Alloc", "Register", "cublas", "cusolver"}) {
    if (function.find(part) != std::string::npos) return cudaErrorMemoryAllocation;
  }
  return cudaErrorIllegalAddress;
}

}  // namespace

int devices() { return static_cast<int>(all().seen.size()); }

int number_of_machine(int device) { return all().seen.at(static_cast<std::size_t>(device)); }

std::size_t bytes_of_device() { return all().bytes; }

std::size_t bytes_left(int device) {
  const std::lock_guard lock(all().mutex);
  return all().left - all().used.at(static_cast<std::size_t>(device));
}

bool take_bytes(int device, std::size_t bytes) {
  const std::lock_guard lock(all().mutex);
  std::size_t& used = all().used.at(static_cast<std::size_t>(device));
  if (used + bytes > all().left) return false;
  used += bytes;
  return true;
}

void give_bytes(int device, std::size_t bytes) {
  const std::lock_guard lock(all().mutex);
  all().used.at(static_cast<std::size_t>(device)) -= bytes;
}

int current_device() { return of_thread; }
void set_current_device(int device) { of_thread = device; }
void forget_context() { all().has_context[static_cast<std::size_t>(of_thread)] = false; }

bool fails(const char* function) {
  if (std::getenv("STAND_IN_FAILS") == nullptr) return false;
  static std::mutex mutex;
  static std::string chosen;
  static long left = 0;
  const std::lock_guard lock(mutex);
  const std::string now = text("STAND_IN_FAILS", ":");
  const std::size_t colon = now.find(':');
  if (now != chosen) left = std::atol(now.c_str() + colon + 1);
  chosen = now;
  if (chosen.compare(0, colon, function) != 0) return false;
  --left;
  return left == -1 || (left < 0 && chosen.find(":once") == std::string::npos);
}

cudaError_t begin_call(const char* function) {
  const int device = current_device();
  if (const cudaError_t fate = fate_of(device)) return failed(fate);
  if (device >= devices())
    return failed(devices() == 0 ? cudaErrorNoDevice : cudaErrorInvalidDevice);
  if (const cudaError_t refused = make_context(device)) return failed(refused);
  if (!fails(function)) return cudaSuccess;
  const cudaError_t error = failure_of(function);
  if (error == cudaErrorIllegalAddress) fail_for_ever(device, error);
  return failed(error);
}

cudaError_t failed(cudaError_t error) { return last = error; }
cudaError_t last_error() {
  if (const cudaError_t fate = fate_of(current_device())) return fate;
  return last;
}
cudaError_t take_last_error() {
  if (const cudaError_t fate = fate_of(current_device())) return fate;
  return std::exchange(last, cudaSuccess);
}

cudaError_t fate_of(int device) {
  if (device >= most_devices) return cudaSuccess;
  return static_cast<cudaError_t>(all().fate[static_cast<std::size_t>(device)].load());
}
void fail_for_ever(int device, cudaError_t error) {
  all().fate.at(static_cast<std::size_t>(device)) = error;
}

namespace counting {
void lock() { all().mutex.lock(); }
Counts& counts() { return all().counts; }
void unlock() { stand_in::all().mutex.unlock(); }
}  // namespace counting

}  // namespace stand_in
