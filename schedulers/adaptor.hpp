// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <memory>
#include <type_traits>

#include "schedulers/policy.hpp"

namespace espalier {

namespace adaptor {

void start(unsigned context, std::unique_ptr<Policy> policy);

template <class Made>
void start_new(unsigned context) {
  start(context, std::make_unique<Made>());
}

/// The submit_hook of policies that are `announced` tasks.
void announce(starpu_task* task);

/// The post_exec_hook of policies that are told which tasks have `finished`.
void finish(starpu_task* task, unsigned context);

/// All functions of StarPU's interface but init_sched.
starpu_sched_policy functions();

}  // namespace adaptor

/// StarPU's view of a policy, of which every scheduling context makes an object of its own. The
/// texts outlive it.
template <class Made>
starpu_sched_policy adapt(const char* name, const char* description) {
  starpu_sched_policy policy = adaptor::functions();
  policy.init_sched = adaptor::start_new<Made>;
  // Submitting threads take no lock for a policy that does not listen, or without it.
  constexpr bool deaf = std::is_same_v<decltype(&Made::submitted), decltype(&Policy::submitted)>;
  constexpr bool told = !std::is_same_v<decltype(&Made::announced), decltype(&Policy::announced)>;
  static_assert(deaf || !told, "a policy overrides one of them");
  if (deaf) policy.submit_hook = told ? adaptor::announce : nullptr;
  constexpr bool ends = !std::is_same_v<decltype(&Made::finished), decltype(&Policy::finished)>;
  if (ends) policy.post_exec_hook = adaptor::finish;
  policy.policy_name = name;
  policy.policy_description = description;
  return policy;
}

}  // namespace espalier
