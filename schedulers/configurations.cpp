// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/configurations.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace espalier::internal {

namespace {

/// Bellavita et al., symPACK, 2023. A ready task goes to the end of the queue, and the task at the
/// top of the queue runs next. Devices get operations by the size of their buffers.
constexpr std::array sympack{
    PrescribedOption{"ordering=scotch", "5"},
    PrescribedOption{"granularity=block", "3.1"},
    PrescribedOption{"mapping=block-cyclic", "3.3"},
    PrescribedOption{"kernels=blas", "4.2"},
    PrescribedOption{"sched=fanout", "3.3"},
    PrescribedOption{"sched-option=steal=0", "3.3"},
    PrescribedOption{"sched-option=ready_order=fifo", "3.4"},
    PrescribedOption{"sched-option=thresholds=paper", "4.2"},
    PrescribedOption{"sched-option=on_device_full=cpu", "4.2"},
};

/// Sao et al., HALO, 2015. MDWIN balances host and device by equations 5 and 6 alone. Tasks are
/// those of the blocks of SuperLU_DIST, without subtrees. A panel is a supernode, so no panel is
/// narrower because of its share of the work.
constexpr std::array halo{
    PrescribedOption{"ordering=metis", "VI.A"},
    PrescribedOption{"panel-width=192", "VI.A"},
    PrescribedOption{"narrow-panel-width=192", "VI.A"},
    PrescribedOption{"granularity=block", "II"},
    PrescribedOption{"mapping=block-cyclic", "II"},
    PrescribedOption{"kernels=blas", "II"},
    PrescribedOption{"sched=halo", "IV"},
    PrescribedOption{"sched-option=halo=mdwin:paper", "V.B"},
};

/// Li et al., swCholesky, 2020. The sizes are those of figure 9. Each group of workers, which
/// stands for a core group, gets one w-partition of an l-partition.
constexpr std::array swcholesky{
    PrescribedOption{"ordering=metis", "4.4.2"},
    PrescribedOption{"granularity=block", "3.2"},
    PrescribedOption{"kernels=own", "3.3"},
    PrescribedOption{"sched=ktq", "3.2"},
    PrescribedOption{"sched-option=queues=all", "3.2"},
    PrescribedOption{"sched-option=limits=size", "3.2"},
    PrescribedOption{"sched-option=inst_size=8", "4.3"},
    PrescribedOption{"sched-option=dpq_size=128", "4.3"},
    PrescribedOption{"sched-option=fuse=1", "3.2"},
    PrescribedOption{"sched-option=partitions=hlevelset", "3.1"},
    PrescribedOption{"sched-option=parts=1", "3.1"},
};

constexpr std::array all_configurations{
    PaperConfiguration{"sympack", "symPACK", sympack},
    PaperConfiguration{"halo", "HALO", halo},
    PaperConfiguration{"swcholesky", "swCholesky", swcholesky},
};

}  // namespace

std::span<const PaperConfiguration> paper_configurations() { return all_configurations; }

std::vector<std::string> paper_configuration_names() {
  std::vector<std::string> names;
  for (const PaperConfiguration& one : all_configurations) names.emplace_back(one.name);
  return names;
}

const PaperConfiguration& paper_configuration(std::string_view name) {
  const auto* const found = std::ranges::find(all_configurations, name, &PaperConfiguration::name);
  if (found != all_configurations.end()) return *found;
  throw std::out_of_range("no configuration " + std::string(name));
}

}  // namespace espalier::internal
