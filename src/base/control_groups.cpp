// SPDX-License-Identifier: BSD-3-Clause
#include "base/control_groups.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace espalier::internal {

namespace {

/// Values from this one on mean "no limit". Without a limit, version 1 shows a value a little below
/// the largest number.
constexpr Count no_limit = std::numeric_limits<Count>::max() / 2;

/// Returns the number at the start of a file, or `otherwise` if the file is missing or says "max".
Count number_in(const std::string& file, Count otherwise) {
  Count value = 0;
  return std::ifstream(file) >> value ? value : otherwise;
}

/// Returns the bytes of cached files. The system drops these before it refuses memory.
Count bytes_of_files(const std::string& statistics, const std::array<std::string_view, 2>& keys) {
  std::ifstream file(statistics);
  std::string key;
  Count value = 0;
  Count sum = 0;
  while (file >> key >> value) {
    if (std::ranges::find(keys, key) != keys.end()) sum += value;
  }
  return sum;
}

/// A line of the membership file, such as "4:cpu,memory:/a/b" (version 1) or "0::/a/b" (version 2).
struct Membership {
  explicit Membership(const std::string& line) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) return;
    controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    path = line.substr(second + 1);
  }
  bool in_second_version() const { return controllers == ",,"; }
  bool limits_memory() const { return controllers.find(",memory,") != std::string::npos; }

  std::string controllers;
  std::string path;
};

}  // namespace

struct ControlGroups::Names {
  std::array<const char*, 2> limits;
  const char* usage;
  std::array<std::string_view, 2> files;
};

const ControlGroups::Names ControlGroups::first_version{
    {"memory.limit_in_bytes", "memory.limit_in_bytes"},
    "memory.usage_in_bytes",
    {"total_active_file", "total_inactive_file"}};
/// The system does not kill a process that exceeds memory.high. It slows the process down until it
/// makes almost no progress.
const ControlGroups::Names ControlGroups::second_version{
    {"memory.max", "memory.high"}, "memory.current", {"active_file", "inactive_file"}};

ControlGroups::ControlGroups(const std::string& mounted, const std::string& membership) {
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {
    const Membership in(line);
    if (in.in_second_version()) {
      add(mounted, in.path, second_version);
      add(mounted + "/unified", in.path, second_version);
    } else if (in.limits_memory()) {
      add(mounted + "/memory", in.path, first_version);
    }
  }
}

/// Adds the group and the groups that contain it. The name of the group begins with a slash. Inside
/// a container, the folder `root` may be the process's own group, and a folder with the group's
/// name may be missing.
void ControlGroups::add(const std::string& root, std::string group, const Names& names) {
  if (group == "/") group.clear();
  while (true) {
    const std::string at = root + group + '/';
    Count limit = no_limit;
    for (const char* const name : names.limits) {
      limit = std::min(limit, number_in(at + name, no_limit));
    }
    if (limit < no_limit) limited_.push_back({at, &names, limit});
    if (group.empty()) return;
    const std::size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
}

Count ControlGroups::available_to(const Group& group) {
  const Count used = number_in(group.folder + group.names->usage, 0);
  const Count files = bytes_of_files(group.folder + "memory.stat", group.names->files);
  return group.limit - std::max(used - files, Count{0});
}

Count ControlGroups::available() const {
  Count least = std::numeric_limits<Count>::max();
  for (const Group& group : limited_) {
    least = std::min(least, std::max(available_to(group), Count{0}));
  }
  return least;
}

}  // namespace espalier::internal
