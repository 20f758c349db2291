// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/shared_solve_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "codelets/coprocessor/tasks.hpp"
#include "graph/rank_graphs.hpp"
#include "runtime/sample_factor.hpp"
#include "runtime/sample_transfers.hpp"
#include "runtime/solve_tasks.hpp"
#include "support/dense_cholesky.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal::support {

/// A rank's part of a factor, stored as a rank stores it: the tiles of its domain, and the tiles of
/// shared panels that it owns. The factor was computed as a whole.
class SampleRankFactor {
 public:
  SampleRankFactor(const SampleFactor& whole, const LocalStructure& local, const Tiling& tiling)
      : local_(local),
        values_(local.value_begin.back(), std::numeric_limits<double>::quiet_NaN()),
        identity_(local.n),
        tiling_(tiling),
        tiles_(tiling.tile.size()) {
    for (Index i = 0; i < local.n; ++i) identity_[i] = i;
    context_.structure = &local;
    for (Index p = 0; p < local.panels(); ++p) {
      const ConstMatrixView panel = panel_of(whole, local.column[local.panel_begin[p]]);
      if (p < local.shared_begin) {
        double* const here = values_.data() + local.value_begin[p];
        std::copy_n(panel.data, static_cast<Count>(panel.rows) * panel.columns, here);
        for (Count t = tiling.tile_begin[p]; t < tiling.tile_begin[p + 1]; ++t) {
          const Tile& tile = tiling.tile[t];
          tiles_[t] = {here + tile.row_begin, tile.row_end - tile.row_begin, panel.columns,
                       panel.rows};
        }
        continue;
      }
      for (Count t = tiling.tile_begin[p]; t < tiling.tile_begin[p + 1]; ++t) {
        if (owner(tiling.tile[t]) == local.rank) copy_tile(panel, tiling.tile[t], tiles_[t]);
      }
    }
  }
  SampleRankFactor(const SampleRankFactor&) = delete;
  SampleRankFactor& operator=(const SampleRankFactor&) = delete;

  /// With `devices`, tasks are made for accelerators as well.
  SolveInput input(const SolveTree& tree, const KernelCost& cost, const SharedSolve& shared,
                   bool devices) {
    return {local_,   tree,           cost,
            context_, values_.data(), identity_.data(),
            &shared,  tiles_,         devices ? &tiling_ : nullptr};
  }
  const LocalStructure& local() const { return local_; }
  FactorContext& context() { return context_; }
  std::span<const DataView> tiles() const { return tiles_; }

 private:
  static ConstMatrixView panel_of(const SampleFactor& whole, Index column) {
    const SymbolicFactor& symbolic = whole.symbolic();
    const auto& begin = symbolic.panel_begin;
    const auto p =
        static_cast<Index>(std::lower_bound(begin.begin(), begin.end(), column) - begin.begin());
    const Index height = symbolic.height(p);
    return {whole.values() + symbolic.value_begin[p], height, symbolic.width(p), height};
  }
  Index owner(const Tile& tile) const {
    const Index row = local_.rows(tile.panel)[tile.row_begin];
    const auto& begin = local_.panel_begin;
    const auto after = std::upper_bound(begin.begin(), begin.end(), row);
    return local_.owner(tile.panel, static_cast<Index>(after - begin.begin()) - 1);
  }
  void copy_tile(ConstMatrixView panel, const Tile& tile, DataView& view) {
    const Index rows = tile.row_end - tile.row_begin;
    auto& memory = *memory_.emplace_back(
        std::make_unique<std::vector<double>>(static_cast<std::size_t>(rows) * panel.columns));
    view = {memory.data(), rows, panel.columns, rows};
    for (Index j = 0; j < panel.columns; ++j) {
      std::copy_n(panel.column(j) + tile.row_begin, rows, view.as<double>().column(j));
    }
  }

  const LocalStructure& local_;
  std::vector<double> values_;
  std::vector<Index> identity_;
  const Tiling& tiling_;
  std::vector<DataView> tiles_;
  std::vector<std::unique_ptr<std::vector<double>>> memory_;
  FactorContext context_;
};

/// The solve of one rank with its part.
class SampleRankSolve {
 public:
  SampleRankSolve(SampleRankFactor& factor, const Tiling& tiling, Index workers, Count tile_entries,
                  Index columns, bool devices)
      : factor_(factor),
        cut_(cut_for_solve(factor.local(), cost_, workers)),
        tree_(build_solve_tree(factor.local(), cut_, tile_entries)),
        shared_(build_shared_solve(factor.local(), tiling, tile_entries)),
        ready_(factor.context(), factor.tiles()),
        b_(static_cast<std::size_t>(factor.local().n) * columns),
        x_(b_.size(), std::numeric_limits<double>::quiet_NaN()) {
    tasks_.emplace(factor.input(tree_, cost_, shared_, devices), ready_, columns);
    tasks_->set_vectors({b_.data(), x_.data(), columns});
  }
  SampleRankSolve(const SampleRankSolve&) = delete;
  SampleRankSolve& operator=(const SampleRankSolve&) = delete;

  /// Returns whether this rank has the entries of b and x at a local column.
  bool keeps(Index column) const {
    const LocalStructure& local = factor_.local();
    const auto after = std::upper_bound(local.panel_begin.begin(), local.panel_begin.end(), column);
    const auto panel = static_cast<Index>(after - local.panel_begin.begin()) - 1;
    return local.owner(panel, panel) == local.rank;
  }
  /// Copies vectors whose entries are numbered as the columns of the whole L.
  void take(std::span<const double> b, Index n) {
    for_each_kept([&](std::size_t here, std::size_t there) { b_[here] = b[there]; }, n);
  }
  void give(std::span<double> x, Index n) const {
    for_each_kept([&](std::size_t here, std::size_t there) { x[there] = x_[here]; }, n);
  }
  const SolveTasks& tasks() const { return *tasks_; }
  const FactorReady& ready() const { return ready_; }
  const SharedSolve& shared() const { return shared_; }

 private:
  template <class Copy>
  void for_each_kept(Copy copy, std::size_t n) const {
    const auto local = static_cast<std::size_t>(factor_.local().n);
    for (Index i = 0; i < factor_.local().n; ++i) {
      if (!keeps(i)) continue;
      for (Index r = 0; r < tasks_->columns(); ++r) {
        copy(r * local + i, r * n + factor_.local().column[i]);
      }
    }
  }

  SampleRankFactor& factor_;
  KernelCost cost_;
  SubtreeCut cut_;
  SolveTree tree_;
  SharedSolve shared_;
  FactorReady ready_;
  std::vector<double> b_;
  std::vector<double> x_;
  std::optional<SolveTasks> tasks_;
};

}  // namespace espalier::internal::support

namespace espalier::internal {
namespace {

using support::RankTilings;
using support::SampleFactor;
using support::SampleRankFactor;
using support::SampleRankSolve;

/// Returns the payload of a task for devices, empty if they cannot run it.
std::span<const std::byte> payload_of(const TaskList& list, const BoundTask& task) {
  if (list.payloads == nullptr) return {};
  return list.payloads->of(static_cast<Index>(&task - list.task.data()));
}

/// All ranks of a solve in one process. Each rank runs its list as far as its messages have
/// arrived. Messages are copies. Devices run all tasks that they can run.
class SampleSharedSolve {
 public:
  SampleSharedSolve(const SampleFactor& whole, Index ranks, Mapping mapping,
                    Granularity granularity, Index workers, Count tile_entries, Index columns,
                    bool devices)
      : whole_(whole), tilings_(whole_.symbolic(), ranks, mapping, granularity), columns_(columns) {
    for (Index r = 0; r < ranks; ++r) {
      ranks_.push_back(std::make_unique<Rank>(whole_, tilings_.local[r], tilings_.tiling[r],
                                              workers, tile_entries, columns, devices));
    }
  }

  /// Returns x for b, numbered as in A.
  std::vector<double> run(const std::vector<double>& b, const Kernels& kernels) {
    const Index n = whole_.symbolic().n;
    const auto& old_of = whole_.symbolic().permutation.old_of;
    std::vector<double> ordered(b.size());
    const auto for_each = [&](auto move) {
      for (Index r = 0; r < columns_; ++r) {
        for (Index i = 0; i < n; ++i)
          move(static_cast<std::size_t>(r) * n + i, static_cast<std::size_t>(r) * n + old_of[i]);
      }
    };
    for_each([&](std::size_t to, std::size_t from) { ordered[to] = b[from]; });
    for (auto& rank : ranks_) {
      rank->solve.take(ordered, n);
      rank->progress = {};
    }
    support::run_all(ranks_.size(), [&](Index r) { return advance(r, kernels); });
    EXPECT_TRUE(transfers_.empty());
    std::fill(ordered.begin(), ordered.end(), std::numeric_limits<double>::quiet_NaN());
    for (const auto& rank : ranks_) {
      EXPECT_EQ(rank->progress.task, rank->solve.tasks().list().task.size());
      EXPECT_EQ(rank->progress.message, rank->solve.tasks().messages().size());
      rank->solve.give(ordered, n);
    }
    std::vector<double> x(b.size());
    for_each([&](std::size_t from, std::size_t to) { x[to] = ordered[from]; });
    return x;
  }

  const SampleRankSolve& rank(std::size_t r) const { return ranks_[r]->solve; }
  std::size_t ranks() const { return ranks_.size(); }

 private:
  struct Rank {
    SampleRankFactor factor;
    SampleRankSolve solve;
    support::SampleWorker sample;
    support::Progress progress;

    Rank(const SampleFactor& whole, const LocalStructure& local, const Tiling& tiling,
         Index workers, Count tile_entries, Index columns, bool devices)
        : factor(whole, local, tiling),
          solve(factor, tiling, workers, tile_entries, columns, devices),
          sample(std::max<Index>(local.n, 1)) {
      sample.workspace.vectors.resize(static_cast<std::size_t>(sample.workspace.row_map.size()) *
                                      columns);
    }
  };

  bool advance(Index r, const Kernels& kernels) {
    Rank& rank = *ranks_[r];
    const SolveTasks& tasks = rank.solve.tasks();
    return rank.progress.advance(
        tasks.list().task, tasks.messages(),
        [&](const BoundTask& task) { run_task(rank, task, kernels); },
        [&](const Message& message) { return deliver(r, message, tasks.list()); });
  }

  static void run_task(Rank& rank, const BoundTask& task, const Kernels& kernels) {
    const TaskList& list = rank.solve.tasks().list();
    std::vector<MatrixView> data;
    for (const Access& access : list.accesses(task)) {
      data.push_back(list.data[access.data].as<double>());
    }
    if (const auto payload = payload_of(list, task); !payload.empty()) {
      std::vector<double> diagonal;
      coprocessor::run(*reinterpret_cast<const TaskPayload*>(payload.data()), data,
                       {kernels, rank.sample.workspace.buffer.span(), diagonal});
      return;
    }
    Worker worker{kernels, rank.sample.workspace};
    task.perform(data, worker);
  }

  bool deliver(Index r, const Message& m, const TaskList& list) {
    if (m.kind == Message::Kind::receive) {
      return transfers_.receive(m.rank, r, m.tag, list.data[m.data].as<double>());
    }
    transfers_.send(r, m.rank, m.tag, list.data[m.data].as<double>());
    return true;
  }

  const SampleFactor& whole_;
  RankTilings tilings_;
  Index columns_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  support::SampleTransfers transfers_;
};

/// Calls visit(problem, make) for all small matrices and divisions. make(columns, devices) makes
/// the solves, which must end before `visit` returns. Tile sizes alternate, so that each division
/// uses each size for a third of the matrices.
template <class Visit>
void for_each_division(Visit visit) {
  constexpr std::array<Count, 3> sizes{1, 40, 1000000};
  std::size_t first = 0;
  for (const auto& problem : support::small_matrices()) {
    SampleFactor whole(problem.matrix, 0, Granularity::panel);
    whole.run();
    std::size_t turn = first++;
    for (const support::Division& by : support::divisions(support::rank_counts)) {
      const Count size = sizes[turn++ % sizes.size()];
      SCOPED_TRACE(problem.name + ", " + by.name + ", tiles of " + std::to_string(size));
      const Index workers = size == 1 ? 8 : 1;
      visit(problem.matrix, [&](Index columns, bool devices) {
        return SampleSharedSolve(whole, by.ranks, by.mapping, by.granularity, workers, size,
                                 columns, devices);
      });
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Right-hand sides of a matrix, and their solutions by a dense factor.
struct DenseSolutions {
  DenseSolutions(const SparseMatrix& matrix, Index count) : n(matrix.pattern.n) {
    const auto a = support::permuted(matrix, Permutation::identity(n));
    const auto l = support::dense_cholesky(a);
    condition = support::condition(a, l);
    b = support::random_vector(static_cast<std::size_t>(n) * count, 4);
    for (Index r = 0; r < count; ++r) x.push_back(support::dense_solve(l, column(b, r)));
  }

  std::span<const double> column(const std::vector<double>& vectors, Index r) const {
    return std::span(vectors).subspan(static_cast<std::size_t>(r) * n, n);
  }

  Index n;
  double condition;
  std::vector<double> b;
  std::vector<std::vector<double>> x;
};

TEST(SharedSolveTasks, SolveAsOneRankDoes) {
  std::map<std::pair<const SparseMatrix*, Index>, DenseSolutions> oracle;
  for_each_division([&](const SparseMatrix& matrix, auto make) {
    for (const auto& [count, devices] : {std::pair{1, false}, {3, false}, {3, true}}) {
      const DenseSolutions& expected =
          oracle.try_emplace({&matrix, count}, matrix, count).first->second;
      SampleSharedSolve solve = make(count, devices);
      for (const Kernels& kernels : {reference::kernels, cpu::kernels}) {
        const std::vector<double> x = solve.run(expected.b, kernels);
        for (Index r = 0; r < count; ++r) {
          EXPECT_TRUE(
              support::close(expected.column(x, r), expected.x[r], expected.n, expected.condition));
        }
      }
    }
  });
}

/// Expects that data are written before tasks or messages read them, and that all tasks of a rank
/// follow its factor. Then any order that respects the accesses is right.
void expect_right_order(const SampleSharedSolve& solve) {
  for (std::size_t r = 0; r < solve.ranks(); ++r) {
    const SolveTasks& tasks = solve.rank(r).tasks();
    const TaskList& list = tasks.list();
    std::vector<bool> written(list.data.size());
    std::vector<bool> after_factor(list.data.size());
    const auto ready = std::ssize(tasks.segments());  // data behind it are L
    std::fill(written.begin() + ready, written.end(), true);
    after_factor[ready] = true;
    auto message = tasks.messages().begin();
    const auto deliver_before = [&](Index task) {
      for (; message != tasks.messages().end() && message->before <= task; ++message) {
        if (message->kind == Message::Kind::send) {
          EXPECT_TRUE(written[message->data]);
        } else {
          written[message->data] = true;
        }
      }
    };
    for (std::size_t t = 0; t < list.task.size(); ++t) {
      deliver_before(static_cast<Index>(t));
      std::set<Index> data;
      bool after = false;
      for (const Access& access : list.accesses(list.task[t])) {
        EXPECT_TRUE(data.insert(access.data).second);
        EXPECT_TRUE(access.mode == AccessMode::write || written[access.data]);
        after = after || after_factor[access.data];
      }
      EXPECT_TRUE(after) << "task " << t;
      for (const Access& access : list.accesses(list.task[t])) {
        if (access.mode == AccessMode::read) continue;
        written[access.data] = after_factor[access.data] = true;
      }
    }
    deliver_before(static_cast<Index>(list.task.size()));
  }
}

TEST(SharedSolveTasks, ReadWhatEarlierTasksWroteOnceATask) {
  for_each_division([](const SparseMatrix&, auto make) {
    for (const bool devices : {false, true}) expect_right_order(make(1, devices));
  });
}

/// Accelerators can run the task of a tile if it names at most most_data_of_payload pieces of data.
/// All tasks together have as many operations as without accelerators.
TEST(SharedSolveTasks, OfTilesAreForAccelerators) {
  Count with_payload = 0;
  for_each_division([&](const SparseMatrix&, auto make) {
    const SampleSharedSolve solve = make(2, true);
    const SampleSharedSolve on_cpus = make(2, false);
    for (std::size_t r = 0; r < solve.ranks(); ++r) {
      const TaskList& list = solve.rank(r).tasks().list();
      double flops = 0;
      for (const BoundTask& task : list.task) {
        flops += task.shape.flops;
        if (task.shape.own_row < 0) continue;
        const bool few = std::ssize(list.accesses(task)) <= most_data_of_payload;
        EXPECT_EQ(!payload_of(list, task).empty(), few);
        with_payload += static_cast<Count>(few);
      }
      double same_flops = 0;
      for (const BoundTask& task : on_cpus.rank(r).tasks().list().task) {
        EXPECT_LT(task.shape.own_row, 0);
        same_flops += task.shape.flops;
      }
      EXPECT_DOUBLE_EQ(flops, same_flops);
    }
  });
  EXPECT_GT(with_payload, 1000);
}

}  // namespace
}  // namespace espalier::internal
