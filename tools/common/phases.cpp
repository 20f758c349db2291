// SPDX-License-Identifier: BSD-3-Clause
#include "common/phases.hpp"

namespace espalier {

void Phases::begin(const std::string& name) {
  end();
  name_ = name;
  begin_ = now();
  progress_.begin(name);
}

void Phases::end() {
  progress_.end();
  if (!name_.empty()) ended_.push_back({name_, begin_, now()});
  name_.clear();
}

void Phases::divide(const std::vector<std::pair<std::string, double>>& parts) {
  double begin = begin_;
  for (const auto& [name, seconds] : parts) {
    ended_.push_back({name, begin, begin + seconds});
    begin += seconds;
  }
}

}  // namespace espalier
