// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/order.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "cuda/stand_in/memory.hpp"
#include "cuda/stand_in/misuse.hpp"

namespace stand_in {

namespace {

constexpr long host = -1;  ///< stands for the host, whose jobs run at once

long jobs_over(const Knowledge& known, long stream) {
  const auto place = static_cast<std::size_t>(stream - host);
  return place < known->size() ? (*known)[place] : 0;
}

void learn(Knowledge& known, long stream, long jobs) {
  if (jobs_over(known, stream) >= jobs) return;
  const auto place = static_cast<std::size_t>(stream - host);
  auto more = std::make_shared<std::vector<long>>(*known);
  more->resize(std::max(more->size(), place + 1));
  (*more)[place] = jobs;
  known = std::move(more);
}

struct Touch {
  const char* begin;
  const char* end;
  long stream;
  long job;
  bool writes;
};

struct Order {
  std::mutex mutex;
  Knowledge host_knows = std::make_shared<std::vector<long>>();
  std::vector<Touch> touches;  ///< accesses that later work may have to wait for
};

/// Never destroyed, because StarPU's threads may outlive main().
Order& order() {
  static auto* const made = new Order;
  return *made;
}

struct Worker {
  long stream = host;
  long job = 0;
  Knowledge knowledge{};
};
thread_local Worker worker;

bool is_over(const Touch& touch, const Worker& now) {
  return touch.stream == now.stream || touch.job < jobs_over(now.knowledge, touch.stream);
}

[[noreturn]] void refuse(const Touch& now, const Touch& before) {
  const auto does = [](const Touch& touch) { return touch.writes ? "writes" : "reads"; };
  const std::string other =
      before.stream == host
          ? "the host"
          : "job " + std::to_string(before.job) + " of stream " + std::to_string(before.stream);
  misuse(std::string("this ") + does(now) + " memory that " + other + " " + does(before) +
         ", and nothing orders the two");
}

}  // namespace

Knowledge knowledge_of_host() {
  const std::lock_guard lock(order().mutex);
  return order().host_knows;
}

void note_end(long stream, long jobs) {
  const std::lock_guard lock(order().mutex);
  learn(order().host_knows, stream, jobs);
}

Working::Working(long stream, long job, Knowledge knowledge) {
  worker = {stream, job, std::move(knowledge)};
}

Working::~Working() { worker = {}; }

void touch(const void* memory, std::size_t bytes, bool writes) {
  if (bytes == 0 || kind_of(memory) != Kind::device) return;
  Order& o = order();
  const std::lock_guard lock(o.mutex);
  Worker here = worker;
  if (here.stream == host) here = {host, jobs_over(o.host_knows, host), o.host_knows};
  const auto* const begin = static_cast<const char*>(memory);
  const Touch now{begin, begin + bytes, here.stream, here.job, writes};
  for (const Touch& before : o.touches) {
    const bool meets = before.begin < now.end && now.begin < before.end;
    if (meets && (before.writes || writes) && !is_over(before, here)) refuse(now, before);
  }
  std::erase_if(o.touches, [&](const Touch& before) {
    const bool within = now.begin <= before.begin && before.end <= now.end;
    return within && (writes || (before.stream == now.stream && !before.writes));
  });
  o.touches.push_back(now);
  if (here.stream == host) learn(o.host_knows, host, here.job + 1);
}

void forget(const void* memory, std::size_t bytes) {
  Order& o = order();
  const std::lock_guard lock(o.mutex);
  const auto* const begin = static_cast<const char*>(memory);
  std::erase_if(o.touches, [&](const Touch& touch) {
    return touch.begin >= begin && touch.end <= begin + bytes;
  });
}

}  // namespace stand_in
