// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/panel_structure.hpp"
#include "base/task_kind.hpp"
#include "codelets/entries.hpp"
#include "codelets/failure.hpp"
#include "codelets/kernels.hpp"

namespace espalier {

/// What one worker needs beside the data of its task. Allocated once, before any task runs.
struct Workspace {
  Index worker = 0;              ///< whose it is
  Buffer buffer;                 ///< update_buffer_entries
  std::vector<Index> position;   ///< for each row of L, its place in the panel at hand
  std::vector<Index> row_map;    ///< as many as the tallest panel has rows
  std::vector<double> vectors;   ///< gathered rows of right-hand sides
  std::vector<MatrixView> data;  ///< of a task that runs without StarPU

  struct Tally {
    Count count = 0;
    double seconds = 0;
    double flops = 0;
    double predicted_seconds = 0;
  };
  std::array<Tally, task_kinds> tally{};
};

/// Where and when a task ran last, in seconds of the context's clock.
struct TaskRecord {
  Index worker = -1;  ///< -1 before the first run
  double begin = 0;
  double end = 0;
};

/// Shared by all tasks of one factor; outlives them.
struct FactorContext {
  const PanelStructure* structure = nullptr;
  PanelEntries entries;
  const double* value = nullptr;  ///< values of A, in the order of its pattern
  int epoch = 0;  ///< numbers the factorizations; tiles filled in another one are stale
  Failure failure;
  std::vector<Workspace> workspace;  ///< one a worker
  Stopwatch clock;                   ///< from the start of the last factorization
};

/// A worker at work on a task.
struct Worker {
  const Kernels& kernels;
  Workspace& workspace;
};

/// A tile that is initialised from A by whichever task writes it first.
struct LazyTile {
  PanelPart part;
  int epoch = 0;

  void fill_once(const FactorContext& context, MatrixView tile) {
    if (epoch == context.epoch) return;
    fill(context.entries, context.value, part, tile);
    epoch = context.epoch;
  }
};

}  // namespace espalier
