// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "espalier/types.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// A folder, as long as it lives, with all that SimGrid and StarPU read of the nodes of a machine:
/// the platform, the list of hosts, StarPU's files of the bus, and the machine itself.
class MachineFolder {
 public:
  /// Each node has so many workers, a core each. Throws RuntimeFailure where it cannot be written.
  MachineFolder(const MachineFile& machine, Index nodes, Index workers);
  ~MachineFolder() { remove(); }
  MachineFolder(const MachineFolder&) = delete;
  MachineFolder& operator=(const MachineFolder&) = delete;

  std::filesystem::path platform() const { return folder_ / "platform.xml"; }
  std::filesystem::path hostfile() const { return folder_ / "hostfile"; }
  std::filesystem::path machine() const { return folder_ / "machine.json"; }
  /// What STARPU_PERF_MODEL_DIR is to name, for the host name below.
  std::filesystem::path sampling() const { return folder_ / "sampling"; }
  static constexpr const char* host = "simulated";
  /// A file of the simulation's own.
  std::filesystem::path file(const char* name) const { return folder_ / name; }
  /// Removes it now.
  void remove() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace espalier::internal
