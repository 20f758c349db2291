// SPDX-License-Identifier: BSD-3-Clause
// The functions that StarPU looks up in the library that STARPU_SCHED_LIB names.
#include <starpu_util.h>

#include "espalier/error.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"

extern "C" {

/// Returns the policy of that name, or null. Its options come from the environment. An invalid
/// option aborts the program with a message, because StarPU cannot catch an exception and would
/// otherwise run another policy.
__attribute__((visibility("default"))) starpu_sched_policy* starpu_get_sched_lib_policy(
    const char* name) {
  const espalier::internal::OwnPolicy* const policy = espalier::internal::own_policy(name);
  if (policy == nullptr) return nullptr;
  try {
    espalier::internal::use_policy_settings(name, espalier::internal::read_policy_settings(name));
  } catch (const espalier::UsageError& error) {
    STARPU_ABORT_MSG("%s\n", error.what());
  }
  return const_cast<starpu_sched_policy*>(&policy->starpu);
}

__attribute__((visibility("default"))) starpu_sched_policy** starpu_get_sched_lib_policies() {
  return const_cast<starpu_sched_policy**>(espalier::internal::own_policies().data());
}

}  // extern "C"
