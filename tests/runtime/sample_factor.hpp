// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "codelets/samples.hpp"
#include "graph/sample_graphs.hpp"
#include "runtime/factor_memory.hpp"
#include "runtime/factor_tasks.hpp"
#include "solver/entry_map.hpp"
#include "support/problems.hpp"

namespace espalier::internal::support {

/// A matrix with its structure, a graph, and its tasks bound to memory, without StarPU.
class SampleFactor {
 public:
  SampleFactor(const SparseMatrix& a, double share, Granularity granularity,
               Fill fill = Fill::by_first_writer)
      : SampleFactor(a, [&](const SymbolicFactor& structure) {
          return graph_of(structure, share, granularity, fill);
        }) {}

  /// Uses the graph that `make_graph` makes for the structure.
  template <class MakeGraph>
  SampleFactor(const SparseMatrix& a, MakeGraph make_graph)
      : symbolic_(structure_of(a)),
        graph_(make_graph(symbolic_)),
        values_(symbolic_.value_begin.back()),
        sample_(symbolic_.n) {
    context_.structure = &symbolic_;
    context_.entries = map_entries(a.pattern, symbolic_);
    context_.value = a.value.data();
    std::vector<MatrixView> data =
        data_in_array({symbolic_, sole_ownership(symbolic_)}, graph_, values_.data());
    for (MatrixView& view : data) {
      if (view.data != nullptr) continue;
      shadow_.emplace_back(static_cast<std::size_t>(view.rows) * view.columns, not_a_number);
      view.data = shadow_.back().data();
    }
    tasks_.emplace(symbolic_, graph_, context_, std::move(data), false);
    if (graph_.batches.empty()) return;
    const Ownership sole = sole_ownership(symbolic_);
    tasks_->make_batches(strips_in_array({symbolic_, sole}, graph_, values_.data()));
  }

  const SymbolicFactor& symbolic() const { return symbolic_; }
  const TaskGraph& graph() const { return graph_; }
  const FactorTasks& tasks() const { return *tasks_; }
  const TaskList& list() const { return tasks_->list(); }

  /// Calls run(), which must run all tasks of this factor. Returns the lower trapezoids of all
  /// panels.
  template <class Run>
  std::vector<double> run_by(Run run) {
    std::fill(values_.begin(), values_.end(), not_a_number);
    ++context_.epoch;
    context_.failure.reset();
    context_.clock.restart();
    run();
    std::vector<double> lower;
    for (Index p = 0; p < symbolic_.panels(); ++p) {
      const Index height = symbolic_.height(p);
      const double* column = values_.data() + symbolic_.value_begin[p];
      for (Index j = 0; j < symbolic_.width(p); ++j, column += height) {
        lower.insert(lower.end(), column + j, column + height);
      }
    }
    return lower;
  }
  /// Runs the tasks with the reference kernels, in the order of the list.
  std::vector<double> run(const TaskList& list) {
    return run_by([&] { run_sequentially(list, sample_.worker); });
  }
  std::vector<double> run() { return run(list()); }
  /// Runs the batches in their order.
  std::vector<double> run_batches() {
    return run_by([&] {
      for (const TaskBatch& batch : list().batches->batch) {
        std::vector<MatrixView> buffers;
        for (const Access& access : list().batches->accesses(batch)) {
          buffers.push_back(list().batches->data[access.data].as<double>());
        }
        batch.perform(buffers, sample_.worker);
      }
    });
  }
  void alternate_sides() { tasks_->alternate_sides(); }
  void make_payloads(const DeviceTable& device = {}) {
    tasks_->make_payloads(DeviceSeconds(device, {}));
  }
  const double* values() const { return values_.data(); }
  FactorContext& context() { return context_; }

 private:
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

  SymbolicFactor symbolic_;
  TaskGraph graph_;
  std::vector<double> values_;
  std::vector<std::vector<double>> shadow_;
  FactorContext context_;
  SampleWorker sample_;
  std::optional<FactorTasks> tasks_;
};

}  // namespace espalier::internal::support
