// SPDX-License-Identifier: BSD-3-Clause

#include <cstdlib>
#include <memory>
#include <utility>

#include "base/options.hpp"
#include "distributed/data.hpp"
#include "runtime/mpi/rank_cores.hpp"
#include "runtime/mpi/starpu_mpi.hpp"

namespace espalier {

using namespace internal;

namespace {

/// Returns the options with a smaller number of workers, if cores are known and the user has not
/// chosen the number. Leaves a core to each thread that drives a device, and to the progress thread
/// if that thread needs one.
RuntimeOptions beside_other_threads(RuntimeOptions options, std::size_t cores,
                                    std::size_t devices) {
  const bool chosen = options.workers > 0 || std::getenv("STARPU_NCPU") != nullptr;
  if (chosen || cores == 0) return options;
  const std::size_t others = devices + (StarpuMpi::progress_thread_computes() ? 0 : 1);
  options.workers = workers_besides_drivers(others, cores);
  return options;
}

}  // namespace

Ranks::Ranks(MPI_Comm comm, const RuntimeOptions& options) : data_(new RanksData(comm)) {
  const std::vector<unsigned> cores = cores_of_rank(data_->comm.get());
  SeenDevices seen;
  agree(data_->comm, [&] {
    if (options.cuda_devices > 0) seen = cuda::identities();
  });
  const std::vector<SharedDevice> devices =
      devices_of_rank(data_->comm.get(), options.cuda_devices, seen);
  auto launcher = std::make_unique<StarpuMpi>(data_->comm.get());
  data_->engine = std::make_unique<StarpuMpiEngine>(launcher->comm(), data_->comm.rank());
  agree(data_->comm, [&] {
    validate(options);
    data_->starpu = std::make_unique<StarpuInstance>(
        beside_other_threads(options, cores.size(), devices.size()), cores, devices,
        std::move(launcher));
  });
}

Ranks::Ranks(std::unique_ptr<RanksData> data) : data_(std::move(data)) {}

Ranks Ranks::inside_application(MPI_Comm comm) {
  auto data = std::make_unique<RanksData>(comm);
  auto guest = std::make_unique<StarpuMpiGuest>(data->comm, comm);
  data->engine = std::make_unique<StarpuMpiEngine>(comm, data->comm.rank());
  agree(data->comm, [&] { data->starpu = std::make_unique<StarpuInstance>(std::move(guest)); });
  return Ranks(std::move(data));
}

Ranks::~Ranks() = default;
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;

Index Ranks::rank() const { return data_->comm.rank(); }
Index Ranks::size() const { return data_->comm.size(); }
Index Ranks::cpu_workers() const { return data_->starpu->cpu_workers(); }

}  // namespace espalier
