// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "espalier/types.hpp"
#include "launch/scratch_folder.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// A temporary folder with the files that SimGrid and StarPU read about the nodes of a machine: the
/// platform, the list of hosts, StarPU's bus files, and the machine itself. Removed with this
/// object.
class MachineFolder {
 public:
  /// Writes the files for ranks with this number of workers, one per core. Consecutive ranks share
  /// a node. Throws RuntimeFailure if a file cannot be written.
  MachineFolder(const MachineFile& machine, Index nodes, Index workers, Index ranks_per_node = 1);

  std::filesystem::path platform() const { return folder_.file("platform.xml"); }
  std::filesystem::path hostfile() const { return folder_.file("hostfile"); }
  std::filesystem::path machine() const { return folder_.file("machine.json"); }
  /// Value of STARPU_PERF_MODEL_DIR, for the host name below.
  std::filesystem::path sampling() const { return folder_.file("sampling"); }
  static constexpr const char* host = "simulated";
  /// Returns the path of another file in the folder.
  std::filesystem::path file(const char* name) const { return folder_.file(name); }
  /// Removes the folder now.
  void remove() const { folder_.remove(); }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

}  // namespace espalier::internal
