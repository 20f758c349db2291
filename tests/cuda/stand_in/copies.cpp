// SPDX-License-Identifier: BSD-3-Clause
// CUDA's copies. A source in pinned memory must not change until it is copied, and a target in
// pinned memory holds NaN until then. Memory that is not pinned is copied as CUDA does: a source
// before the call returns, and a target before the copy counts as finished. An asynchronous copy of
// more than STAND_IN_PAGEABLE bytes of such memory is refused.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cuda/stand_in/call.hpp"
#include "cuda/stand_in/memory.hpp"
#include "cuda/stand_in/order.hpp"
#include "cuda/stand_in/settings.hpp"
#include "cuda/stand_in/stream.hpp"

namespace {

using stand_in::Call;
using stand_in::Kind;

/// Rows of a matrix as CUDA defines them: a row is contiguous in memory.
struct Rows {
  char* begin;
  std::size_t pitch;
  std::size_t width;
  std::size_t height;

  std::size_t bytes() const { return width * height; }
  std::size_t span() const { return (height - 1) * pitch + width; }
  Rows at(char* other) const { return {other, pitch, width, height}; }
};

void copy_rows(const Rows& to, const Rows& from) {
  for (std::size_t i = 0; i < to.height; ++i) {
    std::memcpy(to.begin + i * to.pitch, from.begin + i * from.pitch, to.width);
  }
}

std::uint64_t sum_of(const Rows& rows) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < rows.height; ++i) {
    const char* const row = rows.begin + i * rows.pitch;
    std::size_t at = 0;
    for (; at + sizeof sum <= rows.width; at += sizeof sum) {
      std::uint64_t word = 0;
      std::memcpy(&word, row + at, sizeof word);
      sum = (sum ^ word) * 0x100000001b3U;
    }
    for (; at < rows.width; ++at)
      sum = (sum ^ static_cast<unsigned char>(row[at])) * 0x100000001b3U;
  }
  return sum;
}

/// Source or target of a copy.
struct Side {
  Rows rows;
  Kind kind;
  const char* name;

  Side(const char* which, const Rows& all)
      : rows(all), kind(stand_in::kind_of(all.begin)), name(which) {
    if (rows.height > 1 && rows.pitch < rows.width) {
      stand_in::misuse(std::string(name) + " has rows of " + std::to_string(rows.width) +
                       " bytes that begin every " + std::to_string(rows.pitch));
    }
    reach();
  }
  /// Returns the rows at the addresses of the stand-in. Calls misuse() if they are not accessible.
  Rows reach() const {
    if (kind == Kind::pageable) return rows;
    return rows.at(stand_in::reach_from_anywhere(rows.begin, rows.span(), name));
  }
  void touch(bool writes) const { stand_in::touch(rows.begin, rows.span(), writes); }
  bool on_host() const { return kind != Kind::device; }
};

void expect_direction(const Side& to, const Side& from, cudaMemcpyKind kind) {
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  if (kind == cudaMemcpyDefault) return;
  if (from.on_host() == from_host && to.on_host() == to_host) return;
  stand_in::misuse("the direction is " + std::to_string(kind) + ", but the source is on the " +
                   (from.on_host() ? "host" : "device") + " and the target on the " +
                   (to.on_host() ? "host" : "device"));
}

void expect_apart(const Side& to, const Side& from) {
  if (to.rows.begin >= from.rows.begin + from.rows.span()) return;
  if (from.rows.begin >= to.rows.begin + to.rows.span()) return;
  stand_in::misuse("source and target overlap");
}

void count_pageable(const Side& side) {
  if (side.kind != Kind::pageable) return;
  const std::size_t bytes = side.rows.bytes();
  const std::size_t allowed = stand_in::number("STAND_IN_PAGEABLE", 1 << 30);
  if (bytes > allowed) {
    stand_in::misuse(std::string(side.name) + " has " + std::to_string(bytes) +
                     " bytes of the host that are not pinned, so the copy is not asynchronous");
  }
  stand_in::count([&](stand_in::Counts& counts) {
    ++counts.pageable_copies;
    counts.pageable_bytes = std::max(counts.pageable_bytes, static_cast<long>(bytes));
  });
}

/// A copy that runs later.
struct Later {
  Side to;
  Side from;
  std::shared_ptr<std::vector<char>> staged{};  ///< copy of a source that is not pinned
  std::uint64_t sum = 0;                        ///< checksum of a pinned source

  Later(const Side& target, const Side& source) : to(target), from(source) {
    if (from.kind == Kind::pinned) sum = sum_of(from.rows);
    if (from.kind == Kind::pageable) {
      staged = std::make_shared<std::vector<char>>(from.rows.bytes());
      copy_rows(tight(), from.rows);
    }
    if (to.kind == Kind::pinned) {
      for (std::size_t i = 0; i < to.rows.height; ++i) {
        std::memset(to.rows.begin + i * to.rows.pitch, 0xff, to.rows.width);
      }
    }
  }
  Rows tight() const {
    return {staged->data(), from.rows.width, from.rows.width, from.rows.height};
  }
  void run() const {
    const Rows source = staged ? tight() : from.reach();
    from.touch(false);
    to.touch(true);
    if (from.kind == Kind::pinned && sum_of(source) != sum) {
      stand_in::misuse("the source was changed between the call and the copy");
    }
    copy_rows(to.reach(), source);
  }
};

void finish() {
  stand_in::count([](stand_in::Counts& counts) { ++counts.copies; });
  if (stand_in::fails("copy")) {
    stand_in::fail_for_ever(stand_in::current_device(), cudaErrorIllegalAddress);
  }
}

cudaError_t copy(const char* function, const Rows& to_rows, const Rows& from_rows,
                 cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  const Call call(function);
  if (call.error) return call.error;
  if (to_rows.bytes() == 0) return cudaSuccess;
  const Side to("the target", to_rows);
  const Side from("the source", from_rows);
  expect_direction(to, from, kind);
  expect_apart(to, from);
  if (!asynchronous) {
    stand_in::run_on(nullptr, function, [=] {
      from.touch(false);
      to.touch(true);
      copy_rows(to.reach(), from.reach());
      finish();
    });
    const cudaError_t fate = stand_in::fate_of(stand_in::current_device());
    return fate ? stand_in::failed(fate) : cudaSuccess;
  }
  count_pageable(to);
  count_pageable(from);
  stand_in::run_on(stream, function,
                   [later = Later(to, from), device = stand_in::current_device()] {
                     stand_in::set_current_device(device);
                     later.run();
                     finish();
                   });
  if (to.kind == Kind::pageable && stream != nullptr) stand_in::stream_of(stream)->wait();
  return cudaSuccess;
}

Rows line(const void* begin, std::size_t bytes) {
  return {static_cast<char*>(const_cast<void*>(begin)), bytes, bytes, 1};
}
Rows plane(const void* begin, std::size_t pitch, std::size_t width, std::size_t height) {
  return {static_cast<char*>(const_cast<void*>(begin)), pitch, width, height};
}

void expect_device(const char* function, const void* memory, int device) {
  const stand_in::Doing here({function, stand_in::current_device()});
  if (stand_in::kind_of(memory) == Kind::device && stand_in::device_of(memory) == device) return;
  stand_in::misuse("an address is not one of device " + std::to_string(device));
}

}  // namespace

extern "C" {

/// Returns the number of bytes that cudaMemcpyAsync has copied from the host so far. For tests.
long stand_in_bytes_to_devices() {
  long bytes = 0;
  stand_in::count([&](stand_in::Counts& counts) { bytes = counts.bytes_to_devices; });
  return bytes;
}
/// Returns the number of kernels, library calls and copies so far. For tests. Kernels count when
/// they end, the others when they start.
long stand_in_operations() {
  long operations = 0;
  stand_in::count([&](stand_in::Counts& counts) {
    operations = counts.kernels + counts.calls_of_libraries + counts.copies;
  });
  return operations;
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  const Call call("cudaMemset");
  if (call.error || bytes == 0) return call.error;
  const Side to("the memory", line(memory, bytes));
  if (to.on_host()) stand_in::misuse("this is not memory of a device");
  stand_in::run_on(nullptr, "cudaMemset", [=] {
    to.touch(true);
    std::memset(to.reach().begin, value, bytes);
  });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", line(to, bytes), line(from, bytes), kind, nullptr, false);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (kind == cudaMemcpyHostToDevice) {
    stand_in::count(
        [&](stand_in::Counts& counts) { counts.bytes_to_devices += static_cast<long>(bytes); });
  }
  return copy("cudaMemcpyAsync", line(to, bytes), line(from, bytes), kind, stream, true);
}
cudaError_t cudaMemcpyPeer(void* to, int there, const void* from, int here, std::size_t bytes) {
  expect_device("cudaMemcpyPeer", to, there);
  expect_device("cudaMemcpyPeer", from, here);
  return copy("cudaMemcpyPeer", line(to, bytes), line(from, bytes), cudaMemcpyDeviceToDevice,
              nullptr, false);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int there, const void* from, int here, std::size_t bytes,
                                cudaStream_t stream) {
  expect_device("cudaMemcpyPeerAsync", to, there);
  expect_device("cudaMemcpyPeerAsync", from, here);
  return copy("cudaMemcpyPeerAsync", line(to, bytes), line(from, bytes), cudaMemcpyDeviceToDevice,
              stream, true);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy("cudaMemcpy2D", plane(to, to_pitch, width, height),
              plane(from, from_pitch, width, height), kind, nullptr, false);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy("cudaMemcpy2DAsync", plane(to, to_pitch, width, height),
              plane(from, from_pitch, width, height), kind, stream, true);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  expect_device("cudaMemcpy3DPeerAsync", p->dstPtr.ptr, p->dstDevice);
  expect_device("cudaMemcpy3DPeerAsync", p->srcPtr.ptr, p->srcDevice);
  const std::size_t height = p->extent.height * p->extent.depth;
  return copy("cudaMemcpy3DPeerAsync",
              plane(p->dstPtr.ptr, p->dstPtr.pitch, p->extent.width, height),
              plane(p->srcPtr.ptr, p->srcPtr.pitch, p->extent.width, height),
              cudaMemcpyDeviceToDevice, stream, true);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  expect_device("cudaMemcpy3DPeer", p->dstPtr.ptr, p->dstDevice);
  expect_device("cudaMemcpy3DPeer", p->srcPtr.ptr, p->srcDevice);
  const std::size_t height = p->extent.height * p->extent.depth;
  return copy("cudaMemcpy3DPeer", plane(p->dstPtr.ptr, p->dstPtr.pitch, p->extent.width, height),
              plane(p->srcPtr.ptr, p->srcPtr.pitch, p->extent.width, height),
              cudaMemcpyDeviceToDevice, nullptr, false);
}
}
