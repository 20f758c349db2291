// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/memory.hpp"

#include <starpu.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "codelets/codelet.hpp"
#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

StarpuMatrix::StarpuMatrix(const DataView& view)
    : rows(static_cast<std::uint32_t>(view.rows())),
      columns(static_cast<std::uint32_t>(view.columns())),
      ld(static_cast<std::uint32_t>(view.ld())),
      element(view.entry_bytes()) {
  if (Count{view.rows()} * view.columns() <= std::numeric_limits<std::uint32_t>::max()) return;
  if (view.ld() != view.rows()) {
    throw UsageError("a tile of L has " + std::to_string(view.rows()) + " rows and " +
                     std::to_string(view.columns()) +
                     " columns, more than the 2^32 - 1 entries of StarPU's data; choose narrower "
                     "panels or tiles of fewer rows");
  }
  element *= columns;
  columns = 1;
}

Handles::Handles(std::span<const DataView> data, MissingMemory missing) { append(data, missing); }

void Handles::append(std::span<const DataView> data, MissingMemory missing) {
  handles_.reserve(handles_.size() + data.size());
  for (const DataView& view : data) {
    starpu_data_handle_t handle = nullptr;
    constexpr int nowhere = -1;
    if (view.rows() > 0) {
      const StarpuMatrix as(view);
      starpu_matrix_data_register(&handle, view.memory() ? STARPU_MAIN_RAM : nowhere,
                                  reinterpret_cast<std::uintptr_t>(view.memory()), as.ld, as.rows,
                                  as.columns, as.element);
      if (!view.memory() && missing == MissingMemory::lent_later)
        starpu_matrix_ptr_register(handle, STARPU_MAIN_RAM, 0, 0, 0, as.ld);
    }
    handles_.push_back(handle);
  }
}

Handles::~Handles() {
  for (const starpu_data_handle_t handle : handles_) {
    if (handle) starpu_data_unregister_no_coherency(handle);
  }
}

std::vector<starpu_data_handle_t> together(std::span<const starpu_data_handle_t> first,
                                           std::span<const starpu_data_handle_t> second) {
  std::vector<starpu_data_handle_t> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

namespace {

/// Bytes that StarPU uses per piece of data if StarPU is built for this number of memories. StarPU
/// stores facts about the data for each memory, and requests to each other memory. Fitted to
/// measurements with 8 and with 32 memories.
constexpr Count bytes_of_handle(Count memories) {
  constexpr Count requests = 16;
  constexpr Count others = 135;
  return memories * (memories * requests + others);
}

constexpr Count usual_memories = 8;
constexpr Count cuda_libraries = Count{184} << 20;  // host memory of the libraries of CUDA 13.0
/// Host memory of the driver 580 for one device (H200): without work, and with cuBLAS and cuSOLVER
/// in use.
constexpr Count cuda_device = Count{108} << 20;
constexpr Count busy_cuda_device = Count{211} << 20;

Count bytes_of_driver(bool is_busy) {
  if (starpu_is_initialized() == 0 || starpu_cuda_worker_get_count() == 0) return 0;
  return is_busy ? busy_cuda_device : cuda_device;
}

}  // namespace

Count bytes_of_handles(Count handles) { return handles * bytes_of_handle(STARPU_MAXNODES); }

Count bytes_of_build(const FactorPlan& plan) {
  const Count handles = plan.direct || !plan.has_handles ? 0 : plan.graph.pieces();
  return (cuda::is_built() ? cuda_libraries + bytes_of_driver(plan.offloads) : 0) +
         handles * (bytes_of_handle(STARPU_MAXNODES) - bytes_of_handle(usual_memories));
}

void* memory_of(starpu_data_handle_t data) {
  return view_of(starpu_data_get_interface_on_node(data, STARPU_MAIN_RAM)).data;
}

Count bytes_of(starpu_data_handle_t data) { return static_cast<Count>(starpu_data_get_size(data)); }

void set_memory(starpu_data_handle_t data, void* memory) {
  auto& place = *static_cast<starpu_matrix_interface*>(
      starpu_data_get_interface_on_node(data, STARPU_MAIN_RAM));
  place.ptr = place.dev_handle = reinterpret_cast<std::uintptr_t>(memory);
}

namespace {

/// Calls `work` while the first CUDA device that StarPU uses is the current device. StarPU must use
/// at least one.
void with_own_device(const std::function<void()>& work) {
  const int worker = starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0);
  cuda::with_device(static_cast<unsigned>(starpu_worker_get_devid(worker)), work);
}

}  // namespace

std::vector<std::span<double>> joined_parts(std::span<const std::span<double>> parts) {
  constexpr std::ptrdiff_t little = (std::ptrdiff_t{128} << 10) / scalar.bytes;  // many pages
  std::vector<std::span<double>> joined;
  for (const std::span<double> part : parts) {
    if (part.empty()) continue;  // CUDA refuses empty parts, although they are not an error
    if (joined.empty() || part.data() - (joined.back().data() + joined.back().size()) > little) {
      joined.push_back(part);
    } else {
      joined.back() = {joined.back().data(), part.data() + part.size()};
    }
  }
  return joined;
}

PinnedMemory::PinnedMemory(std::vector<std::span<double>> parts, Index threads)
    : parts_(joined_parts(parts)) {
  if (parts_.empty()) return;
  pinning_ = std::async(std::launch::async, [this, threads] {
    for (const std::span<double> part : parts_) populate(part, threads);
    with_own_device([this] {
      std::erase_if(parts_, [](std::span<double> part) {
        return starpu_memory_pin(part.data(), part.size_bytes()) != 0;
      });
    });
  });
}

void PinnedMemory::wait() {
  if (pinning_.valid()) pinning_.get();
}

PinnedMemory::~PinnedMemory() {
  try {
    wait();
    if (parts_.empty()) return;
    with_own_device([this] {
      for (const std::span<double> part : parts_) {
        starpu_memory_unpin(part.data(), part.size_bytes());
      }
    });
  } catch (const RuntimeFailure&) {
    parts_.clear();  // the device has failed, so its memory need not be unpinned
  }
}

}  // namespace espalier::internal
