// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/json_files.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace espalier {

std::string user_file(const std::string& kind) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string name = "/espalier/" + kind + "-" + host.data() + ".json";
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return data + name;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::string(home) + "/.local/share" + name;
  return "";
}

}  // namespace espalier
