// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/options.hpp"
#include "espalier/espalier.hpp"
#include "espalier/separator_tree.hpp"
#include "mapping/kernel_cost.hpp"
#include "matrix/shared_pattern.hpp"
#include "perfmodels/cost_file.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

class StarpuInstance;

/// Gives the sources of the library access to the data of public objects.
struct Internals {
  template <typename Object>
  static const auto& data(const Object& object) {
    return *object.data_;
  }
  template <typename Object>
  static auto& data(Object& object) {
    return *object.data_;
  }
  /// Returns the data as a shared pointer.
  template <typename Object>
  static auto shared(const Object& object) {
    return object.data_;
  }
  /// Returns an object that holds these data.
  template <typename Object, typename Data>
  static Object holding(std::shared_ptr<Data> data) {
    return Object(std::move(data));
  }
};

struct MatrixData {
  std::string name;
  std::shared_ptr<const SharedPattern> pattern;
  /// The values, unless they belong to an application or are in `copied_value`.
  std::vector<double> own_value;
  Buffer copied_value;
  std::span<const double> value;
  Count duplicates_summed = 0;
  Count mirrors_averaged = 0;
  Count diagonal_added = 0;
  std::vector<PhaseMemory> memory;  ///< peak memory of reading

  MatrixData() = default;
  ~MatrixData() {
    if (copied_value.size() > 0) pattern->keep_buffer(std::move(copied_value));
  }
  MatrixData(const MatrixData&) = delete;
  MatrixData& operator=(const MatrixData&) = delete;

  void own(std::vector<double> values) {
    own_value = std::move(values);
    value = own_value;
  }
  void own(Buffer values) {
    copied_value = std::move(values);
    value = copied_value.span();
  }
};

struct RuntimeData {
  std::shared_ptr<StarpuInstance> starpu;
};

/// Number of entries of a lower triangle, and operations of its factorization before amalgamation.
struct OrderedSize {
  Count entries = 0;
  double flops = 0;
};

struct AnalysisData {
  std::shared_ptr<const SharedPattern> pattern;
  SymbolicFactor symbolic;
  std::shared_ptr<const SeparatorTree> tree;  ///< order before the symbolic factorization
  OrderedSize ordered;                        ///< size when the last order was made from scratch
  bool sizes_only = false;          ///< `symbolic` has only sizes, for ranks; see symbolic_sizes()
  SymbolicOptions structure;        ///< options of `symbolic`
  bool has_default_panels = false;  ///< the user has not chosen the panel width
  MatrixFacts facts;
  /// Costs for predictions in reports; those of this machine if empty.
  std::optional<CostChoice> costs;
  Index workers = 1;
  Tuning tuning;  ///< tuning for empty options
  Report report;
};

/// Throws UsageError if the analysis has only sizes, without rows.
void expect_rows(const AnalysisData& analysis);

}  // namespace espalier::internal
