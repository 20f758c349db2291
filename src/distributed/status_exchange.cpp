// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/status_exchange.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/scalar.hpp"
#include "distributed/handle_tags.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

namespace {

constexpr Index entries_of_status = sizeof(SharedStatus) / scalar.bytes;

SharedStatus& status_in(const ApplicationView& view) {
  return *reinterpret_cast<SharedStatus*>(view.data);
}

}  // namespace

void SharedStatus::add(const SharedStatus& other) {
  failed = std::max(failed, other.failed);
  std::tie(column_of_l, column_of_a) = std::min(std::tuple(column_of_l, column_of_a),
                                                std::tuple(other.column_of_l, other.column_of_a));
  bad_diagonal = std::min(bad_diagonal, other.bad_diagonal);
  std::tie(refused_column, refused_row) = std::min(
      std::tuple(refused_column, refused_row), std::tuple(other.refused_column, other.refused_row));
}

Outcome SharedStatus::outcome() const {
  if (refused_column < none) {
    try {
      refuse_value(static_cast<Index>(refused_row), static_cast<Index>(refused_column), 0);
    } catch (...) {
      return {{}, std::current_exception()};
    }
  }
  if (column_of_l == none) return {};
  return {{static_cast<Index>(std::min(column_of_a, bad_diagonal))}, nullptr};
}

StatusExchange::StatusExchange(const Communicator& comm, NumericFactor& factor)
    : comm_(comm),
      factor_(factor),
      status_(comm.is_root() ? static_cast<std::size_t>(comm.size()) + 1 : 2) {
  std::vector<DataView> views;
  for (SharedStatus& status : status_) {
    views.emplace_back(&status.failed, entries_of_status, 1, entries_of_status);
  }
  handles_ = Handles(views);
}

void StatusExchange::submit(std::function<SharedStatus()> own,
                            std::function<void(const SharedStatus&)> take) {
  factor_.end_factorization();
  const auto report = [own = std::move(own)](std::span<const ApplicationView> views) {
    status_in(views.front()) = own();
  };
  const starpu_data_descr reported{handles_.all().front(), STARPU_W};
  factor_.submit_in_order(HostTask{"report status", report}, std::span(&reported, 1));
  submit_gathering();
  const auto note = [take = std::move(take)](std::span<const ApplicationView> views) {
    take(status_in(views.front()));
  };
  const starpu_data_descr common{handles_.all().back(), STARPU_R};
  factor_.submit_in_order(HostTask{"take status", note}, std::span(&common, 1));
}

void StatusExchange::submit_gathering() {
  using Kind = Message::Kind;
  const auto all = handles_.all();
  if (!comm_.is_root()) {
    factor_.submit_beside({.kind = Kind::send, .data = 0, .rank = 0, .tag = tag_of_status},
                          all.front());
    factor_.submit_beside({.kind = Kind::receive, .data = 0, .rank = 0, .tag = tag_of_status},
                          all.back());
    return;
  }
  std::vector<starpu_data_descr> accesses{{all.back(), STARPU_W}};
  for (Index rank = 0; rank < comm_.size(); ++rank) {
    accesses.push_back({all[rank], STARPU_R});
    if (rank == 0) continue;
    factor_.submit_beside({.kind = Kind::receive, .data = 0, .rank = rank, .tag = tag_of_status},
                          all[rank]);
  }
  const auto add = [](std::span<const ApplicationView> views) {
    SharedStatus sum;
    for (const ApplicationView& view : views.subspan(1)) sum.add(status_in(view));
    status_in(views.front()) = sum;
  };
  factor_.submit_beside(HostTask{"add status", add}, accesses);
  for (Index rank = 1; rank < comm_.size(); ++rank) {
    factor_.submit_beside({.kind = Kind::send, .data = 0, .rank = rank, .tag = tag_of_status},
                          all.back());
  }
}

}  // namespace espalier::internal
