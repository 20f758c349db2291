// SPDX-License-Identifier: BSD-3-Clause

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "espalier/error.hpp"
#include "runtime/mpi/rank_cores.hpp"

namespace espalier::internal {

namespace {

/// Topology of this machine, from hwloc.
class Machine {
 public:
  Machine() {
    if (hwloc_topology_init(&topology_) != 0 || hwloc_topology_load(topology_) != 0) {
      throw RuntimeFailure("hwloc does not know the cores of this machine; check its installation");
    }
  }
  ~Machine() { hwloc_topology_destroy(topology_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Returns the first hardware thread of each core that this thread may run on.
  std::vector<unsigned> bound_cores() const {
    const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> set(hwloc_bitmap_alloc(),
                                                                        hwloc_bitmap_free);
    std::vector<unsigned> cores;
    if (hwloc_get_cpubind(topology_, set.get(), HWLOC_CPUBIND_THREAD) != 0) {
      hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(topology_));
    }
    hwloc_const_bitmap_t last = nullptr;
    for (hwloc_obj_t pu = nullptr;
         (pu = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, pu)) != nullptr;) {
      if (!hwloc_bitmap_isset(set.get(), pu->os_index)) continue;
      const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, pu);
      const hwloc_const_bitmap_t own = core ? core->cpuset : pu->cpuset;
      if (own != last) cores.push_back(pu->logical_index);
      last = own;
    }
    return cores;
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

/// The ranks that run on this rank's machine.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm comm) {
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  ~Neighbours() { MPI_Comm_free(&comm_); }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Returns the lists of all ranks of this machine.
  std::vector<std::vector<unsigned>> gather(const std::vector<unsigned>& own) const {
    int most = static_cast<int>(own.size());
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm_);
    constexpr unsigned none = ~0U;
    std::vector<unsigned> padded(own);
    padded.resize(static_cast<std::size_t>(most), none);
    std::vector<unsigned> all(padded.size() * static_cast<std::size_t>(ranks_));
    MPI_Allgather(padded.data(), most, MPI_UNSIGNED, all.data(), most, MPI_UNSIGNED, comm_);
    std::vector<std::vector<unsigned>> lists;
    for (auto at = all.begin(); at != all.end(); at += most) {
      lists.emplace_back(at, std::find(at, at + most, none));
    }
    return lists;
  }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace

std::vector<unsigned> cores_of_rank(MPI_Comm comm) {
  const std::vector<unsigned> own = Machine().bound_cores();
  const Neighbours neighbours(comm);
  const auto all = neighbours.gather(own);
  const auto here = all.begin() + neighbours.rank();
  return share_of(own, static_cast<Index>(std::count(all.begin(), here, own)),
                  static_cast<Index>(std::count(all.begin(), all.end(), own)));
}

std::vector<SharedDevice> devices_of_rank(MPI_Comm comm, Index wanted, const SeenDevices& seen) {
  const Neighbours neighbours(comm);
  std::vector<unsigned> words;
  for (const cuda::DeviceIdentity& device : seen)
    words.insert(words.end(), device.begin(), device.end());
  std::vector<SeenDevices> all;
  for (const std::vector<unsigned>& list : neighbours.gather(words)) {
    SeenDevices& there = all.emplace_back(list.size() / std::tuple_size_v<cuda::DeviceIdentity>);
    for (std::size_t w = 0; w < list.size(); ++w) there[w / 4][w % 4] = list[w];
  }
  return devices_in_turn(neighbours.rank(), all, wanted);
}

}  // namespace espalier::internal
