// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/fixed_places.hpp"

#include "schedulers/task_facts.hpp"

namespace espalier::internal {

DeviceThresholds device_thresholds(const PolicySettings& settings) {
  return {settings.number("threshold_potrf"), settings.number("threshold_trsm"),
          settings.number("threshold_syrk"), settings.number("threshold_gemm")};
}

FixedPlaces::FixedPlaces(std::string_view policy, const PolicySettings& settings) {
  if (policy == "halo") rule_ = Rule::shadow;
  if (policy != "fanout") return;
  rule_ = Rule::size;
  thresholds_ = device_thresholds(settings);
  least_block_ = static_cast<Count>(settings.number("device_block"));
}

bool FixedPlaces::on_device(const Shape& shape) const {
  switch (rule_) {
    case Rule::size: return is_for_device(facts_of(shape), thresholds_);
    case Rule::shadow: return shape.device >= 0;
    case Rule::none: break;
  }
  return false;
}

}  // namespace espalier::internal
