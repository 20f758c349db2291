// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "distributed/factor_data.hpp"
#include "solver/blocked_solve.hpp"

namespace espalier::internal {

namespace {

/// Right-hand sides and solutions on the root, and the parts of a block of them on all ranks.
class RankBlocks {
 public:
  /// Frees `owned`, if it is not null, when all ranks have their parts of b.
  RankBlocks(const DistributedFactorData& data, std::span<const double> b, const BlockedSolve& how,
             std::vector<double>* owned)
      : data_(data), how_(how), b_(b), owned_(owned) {
    if (in_one_block()) return;
    // The solutions of each block replace its right-hand sides.
    x_ = owned != nullptr ? std::move(*owned) : std::vector<double>(b.begin(), b.end());
    b_ = x_;
    owned_ = nullptr;
  }

  BlockStream stream() {
    return {[this](Index first, Index columns) { return begin(first, columns); },
            [this](Index first, const BlockVectors&, double) { return end(first); }};
  }
  /// Returns all solutions on the root.
  std::vector<double> take_solutions() { return std::move(x_); }

 private:
  bool in_one_block() const { return how_.columns >= how_.count; }
  std::size_t entries_of_root(Index columns) const {
    if (!data_.ranks.comm.is_root()) return 0;
    return static_cast<std::size_t>(data_.distribution.facts().n) *
           static_cast<std::size_t>(columns);
  }

  BlockVectors begin(Index first, Index columns) {
    const Stopwatch watch;
    columns_ = columns;
    own_b_ = data_.vectors.scatter(b_.subspan(entries_of_root(first), entries_of_root(columns)),
                                   columns);
    const double seconds = watch.seconds();
    if (owned_ != nullptr) release(*owned_);
    own_x_.assign(own_b_.size(), 0);
    own_r_.assign(own_b_.size(), 0);
    return {{own_b_, own_x_, own_r_}, seconds};
  }

  double end(Index first) {
    release(own_b_);
    release(own_r_);
    const Stopwatch watch;
    std::vector<double> x = data_.vectors.gather(own_x_, columns_);
    const double seconds = watch.seconds();
    if (in_one_block()) {
      x_ = std::move(x);
    } else {
      std::ranges::copy(x, x_.data() + entries_of_root(first));
    }
    return seconds;
  }

  const DistributedFactorData& data_;
  const BlockedSolve& how_;
  std::span<const double> b_;
  std::vector<double>* owned_;
  std::vector<double> x_;
  Index columns_ = 0;
  std::vector<double> own_b_;
  std::vector<double> own_x_;
  std::vector<double> own_r_;
};

}  // namespace

Count DistributedFactorData::vector_bytes(Index count, Index columns, bool given_up) const {
  const Count vector = scalar.bytes_of(ranks.comm.is_root() ? distribution.facts().n : 0);
  // b, x and the residual; the prediction already includes one vector of each
  const Count column = 3 * scalar.bytes_of(static_cast<Count>(vectors.entries(1)));
  const Count come_to_root = columns < count ? columns * vector : 0;
  return (columns - 1) * column + come_to_root + (given_up ? 0 : count * vector);
}

Solution DistributedFactorData::solve(std::span<const double> b, Index count,
                                      const SolveOptions& given, std::vector<double>* owned) {
  const Communicator& comm = ranks.comm;
  struct {
    Index count;
    SolveOptions options;
  } wanted{count, given};
  comm.broadcast(wanted);
  settle();
  agree(comm, [&] {
    validate(wanted.options);
    expect_factor(state);
    if (comm.is_root()) expect_vectors(distribution.facts().n, count, b.size(), b.size());
  });
  RankSystem system(comm, *state.numeric, *matrix, vectors);
  const auto bytes = [&](Index columns) {
    return vector_bytes(wanted.count, columns, owned != nullptr);
  };
  const Index columns = block_columns(state, system, {wanted.count, bytes});
  const BlockedSolve how{wanted.count, columns, wanted.options};
  RankBlocks blocks(*this, b, how, owned);
  const Refined all = solve_blocks(state, system, how, blocks.stream());
  return {blocks.take_solutions(), all.backward_error, all.steps};
}

}  // namespace espalier::internal
