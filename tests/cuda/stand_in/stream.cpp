// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/stream.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cuda/stand_in/devices.hpp"
#include "cuda/stand_in/settings.hpp"

namespace {

std::atomic<long> streams_made = 0;

std::size_t seed_of_delays() { return stand_in::number("STAND_IN_LATE", 0); }

void sleep_for(std::size_t microseconds) {
  if (microseconds == 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

/// Simulates that a device loads a function when it is first called.
void load(const char* function) {
  const std::size_t microseconds = stand_in::number("STAND_IN_LOADING", 0);
  if (microseconds == 0) return;
  static std::mutex mutex;
  static std::set<std::string> loaded;
  const std::lock_guard lock(mutex);
  if (loaded.insert(function).second) sleep_for(microseconds);
}

}  // namespace

CUstream_st::CUstream_st(int of_device, bool is_blocking)
    : device(of_device),
      waits_for_default(is_blocking),
      number(streams_made++),
      random_(static_cast<unsigned>(1000 * seed_of_delays() + static_cast<unsigned long>(number))),
      thread_([this] { work(); }) {}

CUstream_st::~CUstream_st() {
  enqueue(nullptr, {});
  thread_.join();
}

void CUstream_st::enqueue(const char* function, Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back({function, std::move(job), stand_in::knowledge_of_host()});
  ++given_;
  changed_.notify_all();
}

void CUstream_st::wait() { wait_for(given()); }

long CUstream_st::given() {
  const std::lock_guard lock(mutex_);
  return given_;
}

bool CUstream_st::has_done(long count) {
  const std::lock_guard lock(mutex_);
  if (done_ < count) return false;
  stand_in::note_end(number, count);
  return true;
}

void CUstream_st::wait_for(long count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= count; });
  stand_in::note_end(number, count);
}

/// Most jobs begin at once, some a little later, and a few so late that others overtake them.
void CUstream_st::be_late() {
  sleep_for(stand_in::number("STAND_IN_DELAY", 0));
  if (seed_of_delays() == 0) return;
  const unsigned chance = static_cast<unsigned>(random_()) >> 8;
  sleep_for(chance % 64 == 0 ? 2000 : chance % 8 == 0 ? chance / 64 % 200 : 0);
}

/// Runs the jobs. After a failure of the device it skips them.
void CUstream_st::work() {
  for (long job = 0;; ++job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    const Work next = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    if (!next.job) return;
    be_late();
    if (stand_in::fate_of(device) == cudaSuccess) {
      const stand_in::Doing here({next.function, device, number, job});
      const stand_in::Working working(number, job, next.known);
      load(next.function);
      next.job();
    }
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

namespace stand_in {

namespace {

struct Streams {
  std::mutex mutex;
  /// shared with threads that wait for all streams while another thread ends one
  std::map<CUstream_st*, Stream> alive;
};

/// Never destroyed, because StarPU's threads may outlive main().
Streams& streams() {
  static auto* const made = new Streams;
  return *made;
}

template <class Choice>
void wait_for_streams(Choice is_chosen) {
  std::vector<Stream> chosen;
  {
    const std::lock_guard lock(streams().mutex);
    for (const auto& [handle, stream] : streams().alive) {
      if (is_chosen(*stream)) chosen.push_back(stream);
    }
  }
  for (const Stream& stream : chosen) stream->wait();
}

}  // namespace

CUstream_st* make_stream(bool waits_for_default) {
  const auto made = std::make_shared<CUstream_st>(current_device(), waits_for_default);
  const std::lock_guard lock(streams().mutex);
  streams().alive.emplace(made.get(), made);
  return made.get();
}

bool end_stream(CUstream_st* stream) {
  Stream ending;
  const std::lock_guard lock(streams().mutex);
  const auto found = streams().alive.find(stream);
  if (found == streams().alive.end()) return false;
  ending = std::move(found->second);
  streams().alive.erase(found);
  return true;
}

Stream stream_of(CUstream_st* stream) {
  const std::lock_guard lock(streams().mutex);
  const auto found = streams().alive.find(stream);
  if (found == streams().alive.end()) misuse("the stream does not exist, or no longer exists");
  if (found->second->device != current_device()) {
    misuse("the stream is one of device " + std::to_string(found->second->device));
  }
  return found->second;
}

void run_on(CUstream_st* stream, const char* function, CUstream_st::Job job) {
  if (stream != nullptr) return stream_of(stream)->enqueue(function, std::move(job));
  const int device = current_device();
  wait_for_streams([&](const CUstream_st& s) { return s.device == device && s.waits_for_default; });
  if (fate_of(device) == cudaSuccess) job();
}

void wait_for_all(int device) {
  wait_for_streams([&](const CUstream_st& s) { return s.device == device; });
}

}  // namespace stand_in
