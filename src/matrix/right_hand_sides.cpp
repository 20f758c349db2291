// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/right_hand_sides.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/memory.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

Count RightHandSides::Multiples::bytes() const {
  return std::ssize(value) * static_cast<Count>(sizeof(double));
}

void RightHandSides::Multiples::copy(Index first, std::span<double> b) const {
  for (auto at = b.begin(); at != b.end(); at += n) {
    ++first;
    std::ranges::transform(value, at, [first](double v) { return first * v; });
  }
}

RightHandSides::RightHandSides(std::vector<double> vector, Index count)
    : n_(static_cast<Index>(vector.size())), count_(count) {
  parts_.emplace_back(Multiples{n_, count, std::move(vector)});
}

RightHandSides::RightHandSides(const std::vector<std::string>& paths, Index n,
                               std::string_view noun)
    : n_(n) {
  for (const std::string& path : paths) {
    Part part = std::visit([](auto&& vectors) { return Part(std::move(vectors)); },
                           read_vectors(path, n, noun));
    const Index count = std::visit([](const auto& vectors) { return vectors.count; }, part);
    if (count > std::numeric_limits<Index>::max() - count_) {
      throw InputError(path + ": its " + std::to_string(count) + " vectors are, with the " +
                       std::to_string(count_) + " before them, more than " +
                       std::to_string(std::numeric_limits<Index>::max()));
    }
    count_ += count;
    parts_.push_back(std::move(part));
  }
}

Count RightHandSides::bytes() const {
  Count sum = 0;
  for (const Part& part : parts_) {
    sum += std::visit([](const auto& vectors) { return vectors.bytes(); }, part);
  }
  return sum;
}

void RightHandSides::copy(Index first, std::span<double> b) const {
  for (const Part& part : parts_) {
    std::visit(
        [&](const auto& vectors) {
          if (first >= vectors.count) {
            first -= vectors.count;
            return;
          }
          const std::size_t here = static_cast<std::size_t>(vectors.count - first) * n_;
          const auto block = b.first(std::min(here, b.size()));
          if (!block.empty()) vectors.copy(first, block);
          b = b.subspan(block.size());
          first = 0;
        },
        part);
  }
}

std::vector<double> RightHandSides::dense() && {
  if (parts_.size() == 1 && std::holds_alternative<DenseVectors>(parts_.front())) {
    return std::move(std::get<DenseVectors>(parts_.front()).value);
  }
  const Count entries = static_cast<Count>(n_) * count_;
  expect_available("the right-hand sides", entries * static_cast<Count>(sizeof(double)));
  std::vector<double> b(entries);
  copy(0, b);
  return b;
}

}  // namespace espalier::internal
