// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Memory limits of the control groups (cgroups, version 1 or 2) of this process: its own group and
/// the groups that contain it. Containers and batch systems set such limits. The system kills
/// processes that exceed them.
class ControlGroups {
 public:
  /// Finds the groups that have limits. `mounted` is the folder in which the system shows the
  /// groups. `membership` is the file that lists the groups of the process.
  explicit ControlGroups(const std::string& mounted = "/sys/fs/cgroup",
                         const std::string& membership = "/proc/self/cgroup");

  /// Returns the bytes that the tightest limit still leaves: the limit minus the memory that the
  /// processes of its group use. Cached files that the system can drop do not count as used. If no
  /// group has a limit, the call returns the largest number and costs nothing. Otherwise it reads a
  /// few files of the system.
  Count available() const;

 private:
  struct Names;
  struct Group {
    std::string folder;  ///< a string, because libstdc++ 12 frees a path twice if appending fails
    const Names* names;
    Count limit;
  };

  static const Names first_version;
  static const Names second_version;

  void add(const std::string& root, std::string group, const Names& names);
  static Count available_to(const Group& group);

  std::vector<Group> limited_;
};

}  // namespace espalier::internal
