// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/petsc/engine.hpp"
#include "espalier/error.hpp"
#include "espalier/mpi.hpp"

namespace espalier::internal {

namespace {

void expect_threads() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided == MPI_THREAD_MULTIPLE) return;
  throw UsageError(
      "several ranks need an MPI that was started with MPI_THREAD_MULTIPLE; PETSc requests this "
      "only if libespalier_petsc.so is loaded before PetscInitialize(): link the program with it, "
      "run it with LD_PRELOAD=libespalier_petsc.so, or call MPI_Init_thread() yourself");
}

/// The ranks of a communicator with their StarPU.
class CommunicatorRanks {
 public:
  CommunicatorRanks(MPI_Comm comm, const RuntimeOptions& options)
      : options_(options), ranks_(comm, options) {
    MPI_Comm_dup(comm, &comm_);
  }
  ~CommunicatorRanks() { MPI_Comm_free(&comm_); }
  CommunicatorRanks(const CommunicatorRanks&) = delete;
  CommunicatorRanks& operator=(const CommunicatorRanks&) = delete;

  const Ranks& ranks() const { return ranks_; }
  const RuntimeOptions& options() const { return options_; }
  bool are_those_of(MPI_Comm comm) const {
    int result = MPI_UNEQUAL;
    MPI_Comm_compare(comm, comm_, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT;
  }

 private:
  RuntimeOptions options_;
  Ranks ranks_;
  MPI_Comm comm_ = MPI_COMM_NULL;  ///< a duplicate, because the matrix may free its communicator
};

/// Returns the ranks of the communicator that exist already, or starts them. All ranks make and
/// destroy matrices in the same order, so that all ranks find the same object.
std::shared_ptr<CommunicatorRanks> shared_ranks(MPI_Comm comm, const RuntimeOptions& options) {
  static std::weak_ptr<CommunicatorRanks> shared;
  if (auto living = shared.lock(); living && living->are_those_of(comm)) {
    if (options == RuntimeOptions() || options == living->options()) return living;
    throw UsageError(
        "another factor of these ranks was made with other options of StarPU "
        "(workers, sched, sched_option, cuda_devices); give all the same, or none");
  }
  auto started = std::make_shared<CommunicatorRanks>(comm, options);
  shared = started;
  return started;
}

/// Division of the rows of vectors among the ranks, in the form of MPI.
struct RowDivision {
  std::vector<int> count;
  std::vector<int> first;

  RowDivision(MPI_Comm comm, Index ranks, Index own)
      : count(static_cast<std::size_t>(ranks)), first(static_cast<std::size_t>(ranks)) {
    const int mine = own;
    MPI_Allgather(&mine, 1, MPI_INT, count.data(), 1, MPI_INT, comm);
    std::exclusive_scan(count.begin(), count.end(), first.begin(), 0);
  }
};

class RankEngine : public Engine {
 public:
  RankEngine(MPI_Comm comm, const Options& options)
      : comm_(comm), options_(options), shared_(shared_ranks(comm, options.runtime)) {}

  void analyze(UpperRows&& rows) override {
    n_ = rows.n;
    own_ = static_cast<Index>(rows.row_begin.size()) - 1;
    factor_.reset();
    analysis_ = espalier::analyze(ranks(), distributed(rows), options_.analysis);
    factor_entries_ = analysis_ ? analysis_->factor_entries() : 0;
    MPI_Bcast(&factor_entries_, 1, MPI_INT64_T, 0, comm_);
  }

  FactorStatus factorize(UpperRows&& rows) override {
    DistributedMatrix matrix = distributed(rows);
    rows = {};
    if (!factor_) factor_.emplace(ranks(), analysis_ ? &*analysis_ : nullptr, options_.factor);
    FactorStatus status = factor_->factorize(std::move(matrix));
    if (status.ok()) status.bad_column = factor_->singular_column();
    return status;
  }

  /// Rank 0 gathers the vectors block by block.
  double solve(const LocalVectors& v) override {
    constexpr Index block = 64;
    const RowDivision division(comm_, ranks().size(), own_);
    double error = 0;
    for (Index first = 0; first < v.count; first += block) {
      const Index count = std::min(block, v.count - first);
      Solution solution =
          factor_->solve(gathered(v, first, count, division), count, options_.solve);
      scatter(solution.x, v, first, count, division);
      if (!(solution.backward_error <= error)) error = solution.backward_error;
    }
    return error;
  }

  Inertia inertia() const override { return factor_->inertia(); }
  Report report() const override { return factor_ ? factor_->report() : Report(); }
  Count factor_entries() const override { return factor_entries_; }

 private:
  const Ranks& ranks() const { return shared_->ranks(); }

  DistributedMatrix distributed(const UpperRows& rows) const {
    std::vector<Index> row;  // row in the upper triangle, which is the column in the lower one
    row.reserve(rows.column.size());
    for (std::size_t k = 0; k + 1 < rows.row_begin.size(); ++k) {
      row.resize(static_cast<std::size_t>(rows.row_begin[k + 1]),
                 rows.first + static_cast<Index>(k));
    }
    return {ranks(), rows.n, rows.column, row, rows.value};
  }

  std::vector<double> gathered(const LocalVectors& v, Index first, Index count,
                               const RowDivision& division) const {
    std::vector<double> all(ranks().is_root() ? Count{n_} * count : 0);
    for (Index k = 0; k < count; ++k) {
      double* const to = all.empty() ? nullptr : all.data() + Count{k} * n_;
      MPI_Gatherv(v.b + (first + k) * v.ldb, own_, MPI_DOUBLE, to, division.count.data(),
                  division.first.data(), MPI_DOUBLE, 0, comm_);
    }
    return all;
  }

  void scatter(const std::vector<double>& all, const LocalVectors& v, Index first, Index count,
               const RowDivision& division) const {
    for (Index k = 0; k < count; ++k) {
      const double* const from = all.empty() ? nullptr : all.data() + Count{k} * n_;
      MPI_Scatterv(from, division.count.data(), division.first.data(), MPI_DOUBLE,
                   v.x + (first + k) * v.ldx, own_, MPI_DOUBLE, 0, comm_);
    }
  }

  MPI_Comm comm_;
  Options options_;
  std::shared_ptr<CommunicatorRanks> shared_;
  Index n_ = 0;
  Index own_ = 0;  ///< number of rows of this rank
  Count factor_entries_ = 0;
  std::optional<Analysis> analysis_;
  std::optional<DistributedFactor> factor_;  ///< destroyed before the ranks
};

}  // namespace

std::unique_ptr<Engine> rank_engine(MPI_Comm comm, const Options& options) {
  expect_threads();
  return std::make_unique<RankEngine>(comm, options);
}

}  // namespace espalier::internal
