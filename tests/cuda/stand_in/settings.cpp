// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/stand_in/settings.hpp"

#include <cstdlib>

namespace stand_in {

std::size_t number(const char* variable, std::size_t otherwise) {
  const char* const value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::string text(const char* variable, const char* otherwise) {
  const char* const value = std::getenv(variable);
  return value ? value : otherwise;
}

}  // namespace stand_in
