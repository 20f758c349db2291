// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace espalier::internal::support {

// NOLINTBEGIN(concurrency-mt-unsafe): tests use it while no other thread reads variables

/// Sets or removes an environment variable while the object lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const old = getenv(name)) before_ = old;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace espalier::internal::support
