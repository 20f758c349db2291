// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/permutation.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bindings/pardiso/failure.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

void expect_permutation(const Call& call) {
  if (!call.perm.empty() || call.n == 0) return;
  throw UsageError("perm is null, but iparm(5) is " +
                   std::to_string(call.iparm(iparm::permutation)));
}

}  // namespace

std::vector<Index> elimination_order(const Call& call, Index base) {
  expect_permutation(call);
  std::vector<Index> order(static_cast<std::size_t>(call.n), -1);
  std::vector<bool> seen(order.size(), false);
  for (Index i = 0; i < call.n; ++i) {
    const Count number = call.perm[i] - base;
    if (number < 0 || number >= call.n || seen[number]) {
      throw PardisoFailure(PardisoError::reordering, "perm is not a permutation of " +
                                                         std::to_string(call.n) + " rows: entry " +
                                                         std::to_string(i + base) + " is " +
                                                         std::to_string(number + base));
    }
    seen[number] = true;
    if (call.dialect == Dialect::mkl) {
      order[i] = static_cast<Index>(number);
    } else {
      order[number] = i;
    }
  }
  return order;
}

void return_permutation(const Call& call, Index base, std::span<const Index> order) {
  expect_permutation(call);
  for (Index k = 0; k < std::ssize(order); ++k) {
    if (call.dialect == Dialect::mkl) {
      call.perm.set(k, order[k] + base);
    } else {
      call.perm.set(order[k], k + base);
    }
  }
}

namespace {

void expect_success(bool success) {
  if (success) return;
  throw RuntimeFailure("a file in memory for the permutation cannot be written: " +
                       std::string(std::strerror(errno)));
}

}  // namespace

PermutationFile::PermutationFile(std::span<const Index> order)
    : descriptor_(::memfd_create("permutation", MFD_CLOEXEC)) {
  expect_success(descriptor_ >= 0);
  std::string text;
  for (const Index row : order) text += std::to_string(row) + '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t more = ::write(descriptor_, text.data() + written, text.size() - written);
    if (more < 0 && errno != EINTR) {
      ::close(descriptor_);
      expect_success(false);
    }
    written += static_cast<std::size_t>(std::max<ssize_t>(more, 0));
  }
}

PermutationFile::~PermutationFile() { ::close(descriptor_); }

std::string PermutationFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace espalier::internal
