// SPDX-License-Identifier: BSD-3-Clause
// What StarPU looks for in the library that STARPU_SCHED_LIB names.
#include "schedulers/own_policies.hpp"

extern "C" {

__attribute__((visibility("default"))) starpu_sched_policy* starpu_get_sched_lib_policy(
    const char* name) {
  return espalier::own_policy(name);
}

__attribute__((visibility("default"))) starpu_sched_policy** starpu_get_sched_lib_policies() {
  return const_cast<starpu_sched_policy**>(espalier::own_policies().data());
}

}  // extern "C"
