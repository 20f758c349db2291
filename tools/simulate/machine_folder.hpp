// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "espalier/types.hpp"
#include "launch/scratch_folder.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// A folder, as long as it lives, with all that SimGrid and StarPU read of the nodes of a machine:
/// the platform, the list of hosts, StarPU's files of the bus, and the machine itself.
class MachineFolder {
 public:
  /// Each node has so many workers, a core each. Throws RuntimeFailure where it cannot be written.
  MachineFolder(const MachineFile& machine, Index nodes, Index workers);

  std::filesystem::path platform() const { return folder_.file("platform.xml"); }
  std::filesystem::path hostfile() const { return folder_.file("hostfile"); }
  std::filesystem::path machine() const { return folder_.file("machine.json"); }
  /// What STARPU_PERF_MODEL_DIR is to name, for the host name below.
  std::filesystem::path sampling() const { return folder_.file("sampling"); }
  static constexpr const char* host = "simulated";
  /// A file of the simulation's own.
  std::filesystem::path file(const char* name) const { return folder_.file(name); }
  /// Removes it now.
  void remove() const { folder_.remove(); }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

}  // namespace espalier::internal
