// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/fixed_places.hpp"

#include <limits>

#include "schedulers/task_facts.hpp"

namespace espalier::internal {

DeviceThresholds device_thresholds(const PolicySettings& settings) {
  const std::string_view rule = settings.text("thresholds");
  const auto given = [&](const char* key, DeviceThreshold automatic) {
    constexpr double none = -1;
    const double entries = settings.number(key, none);
    return entries == none ? automatic : DeviceThreshold{entries};
  };
  const auto own = [&](const char* key, DeviceThreshold of_paper) {
    constexpr double never = std::numeric_limits<double>::infinity();
    return given(key, {rule == "calibrated" ? never : of_paper.entries, rule != "paper"});
  };
  DeviceThresholds from;
  from.potrf = own("threshold_potrf", from.potrf);
  from.trsm = own("threshold_trsm", from.trsm);
  from.syrk = own("threshold_syrk", from.syrk);
  from.gemm = own("threshold_gemm", from.gemm);
  from.solve_trsm = given("threshold_solve_trsm", from.trsm);
  from.solve_gemm = given("threshold_solve_gemm", from.gemm);
  from.foreign = given("threshold_foreign", from.gemm);
  return from;
}

bool thresholds_need_costs(const PolicySettings& settings) {
  return settings.text("thresholds") == "calibrated";
}

PlannedDivision planned_division(const PolicySettings& settings) {
  PlannedDivision planned;
  planned.rule = halo_division(settings.text("halo")).value();  // checked by the table of options
  constexpr double no_limit = -1;
  const double bytes = settings.number("device_memory", no_limit);
  if (bytes != no_limit) planned.device_bytes = static_cast<Count>(bytes);
  return planned;
}

FixedPlaces::FixedPlaces(const PolicyTraits& traits, const PolicySettings& settings)
    : use_(traits.devices) {
  if (use_ != DeviceUse::threshold) return;
  thresholds_ = device_thresholds(settings);
  least_block_ = static_cast<Count>(settings.number("device_block"));
}

bool FixedPlaces::on_device(const Shape& shape) const {
  if (use_ == DeviceUse::threshold) return is_for_device(facts_of(shape), thresholds_);
  return use_ == DeviceUse::planned && shape.device >= 0;
}

}  // namespace espalier::internal
