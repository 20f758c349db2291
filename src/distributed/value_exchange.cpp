// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/value_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/scalar.hpp"
#include "distributed/handle_tags.hpp"

namespace espalier::internal {

ValueExchange::ValueExchange(const Communicator& comm, NumericFactor& factor,
                             std::shared_ptr<const DistributedMatrixData> matrix,
                             ValueRoutes routes)
    : comm_(comm), factor_(factor), matrix_(std::move(matrix)), routes_(std::move(routes)) {
  Count entries = 0;
  for (Index rank = 0; rank < comm.size(); ++rank) {
    if (rank != comm.rank() && routes_.sent(rank) > 0) {
      sends_to_.push_back(rank);
      entries += routes_.sent(rank);
    }
    if (routes_.taken(rank) > 0) {
      takes_from_.push_back(rank);
      entries += routes_.taken(rank);
    }
  }
  if (!matrix_->position.empty()) merged_ = Buffer(std::ssize(matrix_->part.entry));
  memory_ = Buffer(entries);
  constexpr Index of_defects = sizeof defects_ / scalar.bytes;
  std::vector<DataView> views{{&defects_.failed, of_defects, 1, of_defects}};
  double* next = memory_.data();
  const auto add = [&](Count size) {
    views.emplace_back(next, static_cast<Index>(size), 1, size);
    next += size;
  };
  for (const Index rank : sends_to_) add(routes_.sent(rank));
  for (const Index rank : takes_from_) add(routes_.taken(rank));
  handles_ = Handles(views);
  received_.push_back(handles_.all().front());
  const auto taken = handles_.all().subspan(1 + sends_to_.size());
  received_.insert(received_.end(), taken.begin(), taken.end());
}

void ValueExchange::submit(starpu_data_handle_t values) {
  using Kind = Message::Kind;
  const auto all = handles_.all();
  std::vector<starpu_data_descr> accesses;
  for (std::size_t k = 0; k <= sends_to_.size(); ++k) accesses.push_back({all[k], STARPU_W});
  for (std::size_t k = 0; k < takes_from_.size(); ++k) {
    if (takes_from_[k] == comm_.rank()) accesses.push_back({received_[1 + k], STARPU_W});
  }
  if (values != nullptr) accesses.push_back({values, STARPU_R});
  const auto work = [this](std::span<const ApplicationView> views) { pack(views); };
  factor_.submit_beside(HostTask{"send values", work}, accesses);
  for (std::size_t k = 0; k < sends_to_.size(); ++k) {
    factor_.submit_beside(
        {.kind = Kind::send, .data = 0, .rank = sends_to_[k], .tag = tag_of_values}, all[1 + k]);
  }
  for (std::size_t k = 0; k < takes_from_.size(); ++k) {
    if (takes_from_[k] == comm_.rank()) continue;
    factor_.submit_beside(
        {.kind = Kind::receive, .data = 0, .rank = takes_from_[k], .tag = tag_of_values},
        received_[1 + k]);
  }
}

std::span<const double> ValueExchange::merged(const double* given) {
  const std::vector<Index>& position = matrix_->position;
  if (position.empty()) return {given, matrix_->part.entry.size()};
  std::ranges::fill(merged_.span(), 0.0);
  for (std::size_t k = 0; k < position.size(); ++k) merged_.data()[position[k]] += given[k];
  return merged_.span();
}

SharedStatus ValueExchange::defects_of(std::span<const double> values) const {
  SharedStatus found;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const MatrixPart::Entry& e = matrix_->part.entry[k];
    if (e.row == e.column && !(values[k] > 0)) {
      found.bad_diagonal = std::min(found.bad_diagonal, static_cast<double>(e.row));
    }
    if (std::isfinite(values[k]) || found.failed > 0) continue;
    found.failed = 1;  // the entries are in the order of columns and rows, so it is the first
    found.refused_column = e.column;
    found.refused_row = e.row;
  }
  return found;
}

void ValueExchange::pack(std::span<const ApplicationView> views) {
  const std::span<const double> values =
      matrix_->part.entry.empty() ? std::span<const double>() : merged(views.back().data);
  *reinterpret_cast<SharedStatus*>(views.front().data) = defects_of(values);
  std::vector<Index> to = sends_to_;
  if (routes_.taken(comm_.rank()) > 0) to.push_back(comm_.rank());
  for (std::size_t k = 0; k < to.size(); ++k) routes_.pack(to[k], values, views[1 + k].data);
}

SharedStatus ValueExchange::take(std::span<const ApplicationView> received,
                                 std::span<double> to) const {
  for (std::size_t k = 0; k < takes_from_.size(); ++k) {
    routes_.place(takes_from_[k], received[1 + k].data, to);
  }
  return *reinterpret_cast<const SharedStatus*>(received.front().data);
}

}  // namespace espalier::internal
