// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_team.hpp"

#include <string>
#include <system_error>
#include <tuple>

#include "espalier/error.hpp"

namespace espalier::internal {

ThreadTeam::ThreadTeam(Index size) : together_(size) {
  threads_.reserve(static_cast<std::size_t>(size) - 1);
  try {
    for (Index member = 1; member < size; ++member) {
      threads_.emplace_back([this, member] { serve(member); });
    }
  } catch (const std::system_error& failure) {
    end_those_started(size);
    throw RuntimeFailure("a team of " + std::to_string(size) +
                         " threads did not start: " + failure.what() + "; ask for fewer");
  } catch (...) {
    end_those_started(size);
    throw;
  }
}

void ThreadTeam::end_those_started(Index expected) {
  std::ignore = together_.arrive(expected - size());  // in place of the threads that did not start
  end();
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::run(const std::function<void(Index)>& work) {
  work_ = &work;
  together_.arrive_and_wait();
  work(0);
  together_.arrive_and_wait();
}

void ThreadTeam::serve(Index member) {
  while (true) {
    together_.arrive_and_wait();
    if (work_ == nullptr) return;
    (*work_)(member);
    together_.arrive_and_wait();
  }
}

void ThreadTeam::end() {
  work_ = nullptr;
  together_.arrive_and_wait();
  threads_.clear();
}

}  // namespace espalier::internal
