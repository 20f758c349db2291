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
#include "mapping/kernel_cost.hpp"
#include "matrix/shared_pattern.hpp"
#include "perfmodels/cost_file.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

class StarpuInstance;

/// Gives the library's own sources what the public objects hold.
struct Internals {
  template <typename Object>
  static const auto& data(const Object& object) {
    return *object.data_;
  }
  /// Returns the same with a share of its ownership.
  template <typename Object>
  static auto shared(const Object& object) {
    return object.data_;
  }
  /// Makes an object that holds these data.
  template <typename Object, typename Data>
  static Object holding(std::shared_ptr<Data> data) {
    return Object(std::move(data));
  }
};

struct MatrixData {
  std::string name;
  std::shared_ptr<const SharedPattern> pattern;
  std::vector<double> own_value;  ///< the values, unless they are an application's or a copy
  Buffer copied_value;
  std::span<const double> value;
  Count duplicates_summed = 0;
  Count mirrors_averaged = 0;
  Count diagonal_added = 0;
  std::vector<PhaseMemory> memory;  ///< what reading took

  MatrixData() = default;
  ~MatrixData() {
    if (copied_value.size() > 0) pattern->keep_room(std::move(copied_value));
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

struct AnalysisData {
  std::shared_ptr<const SharedPattern> pattern;
  SymbolicFactor symbolic;
  bool outline = false;             ///< see symbolic_outline(): for ranks
  SymbolicOptions structure;        ///< by which `symbolic` was made
  bool has_default_panels = false;  ///< nobody has chosen how wide they are
  MatrixFacts facts;
  std::optional<CostChoice> costs;  ///< by which reports predict; this machine's if there are none
  Index workers = 1;
  Tuning tuning;  ///< what options leave empty on this machine
  Report report;
};

/// Throws UsageError where there is but an outline.
void expect_rows(const AnalysisData& analysis);

}  // namespace espalier::internal
