// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <utility>
#include <vector>

#include "scenarios.hpp"

namespace other_program {

inline constexpr unsigned first_context = 0;  ///< initial context of StarPU

inline std::vector<int> all_workers() {
  std::vector<int> workers(starpu_worker_get_count());
  starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, workers.data(),
                                static_cast<unsigned>(workers.size()));
  return workers;
}

/// Returns the two halves of the workers. A single worker is in both.
inline std::pair<std::vector<int>, std::vector<int>> halves(const std::vector<int>& all) {
  const auto middle = all.begin() + static_cast<long>((all.size() + 1) / 2);
  return {{all.begin(), middle}, all.size() == 1 ? all : std::vector<int>(middle, all.end())};
}

/// A context of some workers, with the policy of the program.
class SchedulingContext {
 public:
  explicit SchedulingContext(std::vector<int> workers)
      : id_(starpu_sched_ctx_create(workers.data(), static_cast<int>(workers.size()), "part",
                                    STARPU_SCHED_CTX_POLICY_NAME, std::getenv("STARPU_SCHED"), 0)) {
    expect(id_ != STARPU_NMAX_SCHED_CTXS, "no context was made");
    starpu_sched_ctx_set_inheritor(id_, first_context);
  }
  ~SchedulingContext() { starpu_sched_ctx_delete(id_); }
  SchedulingContext(const SchedulingContext&) = delete;
  SchedulingContext& operator=(const SchedulingContext&) = delete;
  unsigned id() const { return id_; }

 private:
  unsigned id_;
};

}  // namespace other_program
