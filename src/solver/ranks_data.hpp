// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "espalier/mpi.hpp"
#include "runtime/communicator.hpp"
#include "runtime/messenger.hpp"
#include "runtime/starpu_instance.hpp"

namespace espalier {

struct Ranks::Data {
  explicit Data(MPI_Comm of) : comm(of) {}

  Communicator comm;
  std::unique_ptr<StarpuInstance> starpu;
  std::unique_ptr<Messenger> messenger;
};

}  // namespace espalier
