// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "bindings/pardiso/arguments.hpp"
#include "bindings/pardiso/statistics.hpp"
#include "bindings/pardiso/upper_triangle.hpp"
#include "espalier/bindings.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// Parameters that determine an analysis. Two analyses of one pattern with equal settings are equal
/// unless they depend on the values.
struct AnalysisSettings {
  Count mtype = 0;
  Count ordering = 0;
  Count matching = 0;
  Count deterministic = 0;
  bool repeated = false;  ///< whether several factorizations are expected

  /// Returns whether the analysis matches rows and columns by the values of the matrix.
  bool matches() const { return mtype == -2 && matching > 0; }
  bool operator==(const AnalysisSettings&) const = default;
};

/// An analyzed pattern, which several factors may share.
struct Structure {
  UpperTriangle triangle;
  AnalysisSettings settings;
  Options options;
  Analysis analysis;
};

/// The object behind a handle `pt`: the factors with the numbers 1 to maxfct. One thread at a time
/// uses it; a lock enforces this.
class PardisoSolver {
 public:
  /// Runs the phases from analysis to solve that `call` asks for. Fills the parameters that are
  /// results. Calls `on_analysis` after an analysis, because the object then has something to free.
  /// Throws the exceptions of the library and PardisoFailure.
  Statistics run(const Call& call, const std::function<void()>& on_analysis);
  /// Frees the factor with the number `mnum`. Its structure remains.
  void release(Count mnum);

 private:
  struct Slot {
    std::shared_ptr<const Structure> structure;
    std::optional<Factor> factor;
    bool factored = false;  ///< whether `factor` can solve
  };

  Slot& slot_of(const Call& call);
  /// Returns the factor of a slot. Throws UsageError unless its last factorization succeeded.
  static Factor& factor_of(Slot& slot, const Call& call);
  void analyze(const Call& call, Statistics& statistics);
  void factorize(const Call& call, Statistics& statistics);
  void solve(const Call& call, Statistics& statistics);
  void solve_part(const Call& call, Statistics& statistics);

  std::mutex mutex_;
  std::shared_ptr<Runtime> runtime_;  ///< outlives the factors
  std::map<Count, Slot> slots_;
  std::shared_ptr<const Structure> latest_;  ///< the structure of the last analysis
};

}  // namespace espalier::internal
