// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/misuse.hpp"

#include <unistd.h>

#include <utility>

namespace stand_in {

namespace {

constexpr Place nowhere;
thread_local const Place* here = &nowhere;

}  // namespace

Doing::Doing(const Place& place) : place_(place), outer_(std::exchange(here, &place_)) {}

Doing::~Doing() { here = outer_; }

void misuse(const std::string& what) {
  std::string line = std::string("stand-in: ") + here->function;
  if (here != &nowhere) line += " on device " + std::to_string(here->device);
  if (here->stream >= 0) {
    line += ", job " + std::to_string(here->job) + " of stream " + std::to_string(here->stream);
  }
  line += ": " + what + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(misuse_code);
}

}  // namespace stand_in
