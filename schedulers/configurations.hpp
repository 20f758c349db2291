// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal {

/// Name of the option that chooses a configuration.
inline constexpr std::string_view configuration_option = "as";

/// An option that a paper prescribes.
struct PrescribedOption {
  std::string_view
      assignment;  ///< as Options::set() reads it: "ordering=metis", "sched-option=fuse=1"
  std::string_view section;  ///< section of the paper
};

/// All options that a paper prescribes. They fix the method and leave the machine to the user: the
/// numbers of workers, ranks and devices, their grids, and the memory of devices.
struct PaperConfiguration {
  std::string_view name;
  std::string_view program;  ///< name of the paper's program, as its authors write it
  std::span<const PrescribedOption> options;
};

/// Returns the configurations of all papers, in the order of help texts.
std::span<const PaperConfiguration> paper_configurations();

/// Returns the names of the configurations.
std::vector<std::string> paper_configuration_names();

/// Returns the configuration of that name. Throws std::out_of_range if there is none.
const PaperConfiguration& paper_configuration(std::string_view name);

}  // namespace espalier::internal
