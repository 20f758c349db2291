// SPDX-License-Identifier: BSD-3-Clause

#include "base/options.hpp"
#include "distributed/data.hpp"
#include "perfmodels/cost_file.hpp"
#include "runtime/mpi/rank_cores.hpp"

namespace espalier {

using namespace internal;

Ranks::Ranks(MPI_Comm comm, const RuntimeOptions& options) : data_(new RanksData(comm)) {
  const std::vector<unsigned> cores = cores_of_rank(data_->comm.get());
  const std::vector<SharedDevice> devices =
      devices_of_rank(data_->comm.get(), options.cuda_devices, cuda::devices());
  agree(data_->comm, [&] {
    validate(options);
    data_->starpu = std::make_unique<StarpuInstance>(options, cores, devices);
    this_machines_costs();  // reads them now
  });
  data_->messenger = std::make_unique<Messenger>(data_->comm.get());
}

Ranks::~Ranks() = default;
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;

Index Ranks::rank() const { return data_->comm.rank(); }
Index Ranks::size() const { return data_->comm.size(); }
Index Ranks::cpu_workers() const { return data_->starpu->cpu_workers(); }

}  // namespace espalier
