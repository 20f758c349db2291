// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

/// Load-balanced level coarsening (Cheshmi, Kamil, Strout and Mehri Dehnavi, ParSy, SC 2018):
/// l-partitions, which are neighbouring levels of the tree, with a barrier after each; inside,
/// every w-partition on one worker.
extern starpu_sched_policy hlevelset_policy;

}  // namespace espalier
