// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/coprocessor.hpp"

#include <starpu.h>

#include <cstdlib>

#include "codelets/cpu/blas_threads.hpp"
#include "espalier/error.hpp"

namespace espalier {

bool coprocessors_supported() {
#ifdef STARPU_USE_TCPIP_MASTER_SLAVE
  return true;
#else
  return false;
#endif
}

bool is_coprocessor() { return std::getenv("STARPU_TCPIP_MS_MASTER") != nullptr; }

void serve_as_coprocessor() {
  const SingleThreadedBlas blas;
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncuda = 0;
  conf.nopencl = 0;
  [[maybe_unused]] const int result = starpu_init(&conf);
  throw RuntimeFailure(
      "StarPU did not start as a coprocessor; check STARPU_TCPIP_MS_MASTER and the other STARPU_ "
      "variables");
}

}  // namespace espalier
