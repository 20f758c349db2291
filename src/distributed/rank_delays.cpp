// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/rank_delays.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "distributed/rank_system.hpp"
#include "solver/delayed_pivots.hpp"
#include "solver/pivots.hpp"
#include "solver/singularity.hpp"

namespace espalier::internal {

namespace {

/// The factor of all ranks.
class RankRepeats final : public RepeatableFactor {
 public:
  RankRepeats(std::unique_ptr<DistributedFactorData>& data, const FactorizeOnRanks& factorize)
      : data_(data), factorize_(factorize) {}

  const std::optional<FactorStatus>& status() const { return status_; }

  bool chooses_pivots() const override { return internal::chooses_pivots(data_->state); }

  PivotFailure find_failed_columns() override {
    const DistributedFactorData& d = *data_;
    if (!d.state.factored) return PivotFailure::none;
    const PivotSigns& signs = d.state.numeric->context().signs;
    std::array<double, 1> worst{static_cast<double>(worst_failure(signs))};
    d.ranks.comm.find_largest(worst);
    const auto found = static_cast<PivotFailure>(static_cast<int>(worst[0]));
    if (found != PivotFailure::none) gather(failed_pivots(signs));
    return found;
  }

  double probed_error() override {
    DistributedFactorData& d = *data_;
    NumericFactor& numeric = *d.state.numeric;
    const RankMatrix matrix(d.distribution.part().structure, numeric.context().entries, d.vectors,
                            d.scaled.values);
    RankSystem system(d.ranks.comm, numeric, matrix, d.vectors);
    const Index rows = d.ranks.comm.is_root() ? d.distribution.facts().n : 0;
    const std::vector<double> b =
        d.vectors.scatter(random_numbers(static_cast<std::size_t>(rows)), 1);
    std::vector<double> x(b.size());
    std::vector<double> r(b.size());
    return internal::probed_error(numeric, system, {b, x, r});
  }

  bool move_failed_columns(Index levels) override {
    const Communicator& comm = data_->ranks.comm;
    if (data_->delayed == 0) data_->undelayed = data_->known;
    auto moved = agree(comm, [&]() -> std::shared_ptr<const AnalysisData> {
      if (!comm.is_root()) return nullptr;
      return with_delays(*data_->known, *data_->undelayed, failed_, levels);
    });
    bool moves = moved != nullptr;
    comm.broadcast(moves);
    if (!moves) return false;
    replace_factor(data_, std::move(moved));
    data_->delayed = std::max(data_->delayed, count_);
    return true;
  }

  bool is_allocated() const override { return data_->state.numeric != nullptr; }

  void allocate_again() override {
    data_->state.factored = false;
    replace_factor(data_, data_->known);
  }

  void factorize_again(bool leaves_out) override {
    if (leaves_out) data_->state.numeric->leave_columns_out();
    status_ = factorize_(*data_);
  }

 private:
  /// Gathers the marks of all ranks on the root. `own` has those of this rank in the order of
  /// pivots. Any rank may mark a column of a shared panel, but only the rank with its diagonal tile
  /// knows for sure in which order the panel chose its pivots.
  void gather(const std::vector<std::uint8_t>& own) {
    const DistributedFactorData& d = *data_;
    std::vector<double> sums(own.begin(), own.end());
    d.vectors.add_up_shared(sums, 1);
    std::vector<std::uint8_t> marks(sums.size());
    std::ranges::transform(sums, marks.begin(), [](double sum) { return sum > 0 ? 1 : 0; });
    marks = in_order_of_l(d.distribution.part().structure, d.state.numeric->context().signs.chosen,
                          marks);
    const std::vector<double> in_a =
        d.vectors.gather(std::vector<double>(marks.begin(), marks.end()), 1);
    failed_.resize(in_a.size());
    for (std::size_t k = 0; k < failed_.size(); ++k) {
      failed_[k] = in_a[d.known->symbolic.permutation.old_of[k]] > 0 ? 1 : 0;
    }
    count_ = static_cast<Index>(std::ranges::count(failed_, 1));
    d.ranks.comm.broadcast(count_);
  }

  std::unique_ptr<DistributedFactorData>& data_;
  const FactorizeOnRanks& factorize_;
  std::optional<FactorStatus> status_;
  std::vector<std::uint8_t> failed_;  ///< only on the root: in the order of L of its analysis
  Index count_ = 0;                   ///< number of failed columns
};

}  // namespace

std::optional<FactorStatus> delay_pivots(std::unique_ptr<DistributedFactorData>& data,
                                         const FactorizeOnRanks& factorize) {
  RankRepeats factor(data, factorize);
  delay_pivots(factor);
  return factor.status();
}

void replace_factor(std::unique_ptr<DistributedFactorData>& data,
                    std::shared_ptr<const AnalysisData> analysis) {
  FactorOptions options = data->requested;
  options.factorization = Factorization::ldlt;
  auto other = std::make_unique<DistributedFactorData>(data->ranks, std::move(analysis), options);
  data->state.numeric.reset();  // frees the old factor before the new one needs memory
  other->allocate();
  FactorState& state = other->state;
  state.automatic = data->state.automatic;
  state.setup = data->state.setup;
  state.history = std::move(data->state.history);
  other->attempt_seconds = data->attempt_seconds;
  other->delayed = data->delayed;
  other->undelayed = data->undelayed;
  data = std::move(other);
}

}  // namespace espalier::internal
