// SPDX-License-Identifier: BSD-3-Clause
// What StarPU looks for in the library that STARPU_SCHED_LIB names.
#include <starpu_util.h>

#include "espalier/error.hpp"
#include "schedulers/options.hpp"
#include "schedulers/own_policies.hpp"

extern "C" {

/// Options come from the environment alone. Of a wrong one the user is told in StarPU's way: there
/// is nobody to throw at, and StarPU would go on with another policy.
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
