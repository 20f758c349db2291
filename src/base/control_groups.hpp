// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// The limits on memory that control groups (cgroups, of either version) set to this process: those
/// of its own group and of the ones around it. Containers and batch systems set such limits, and
/// the system kills who passes them.
class ControlGroups {
 public:
  /// Finds out which groups have limits. `mounted` is where the system shows them, `membership`
  /// says in which ones the process is.
  explicit ControlGroups(const std::string& mounted = "/sys/fs/cgroup",
                         const std::string& membership = "/proc/self/cgroup");

  /// Returns the bytes that the tightest of them leaves now: its limit, less what its processes
  /// use, but for files that the system would forget. The largest number where none has a limit,
  /// which costs nothing; else a few files of the system are read.
  Count room() const;

 private:
  struct Names;
  struct Group {
    std::string folder;  ///< no path, which libstdc++ 12 frees twice where appending fails
    const Names* names;
    Count limit;
  };

  static const Names first_version;
  static const Names second_version;

  void add(const std::string& root, std::string group, const Names& names);
  static Count room_of(const Group& group);

  std::vector<Group> limited_;
};

}  // namespace espalier::internal
