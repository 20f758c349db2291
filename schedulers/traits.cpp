// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/traits.hpp"

#include <algorithm>
#include <array>

#include "schedulers/own_policies.hpp"
#include "schedulers/starpu_policies.hpp"

namespace espalier::internal {

PolicyTraits traits_of_policy(std::string_view name, std::string_view description) {
  if (const OwnPolicy* const own = own_policy(name)) return own->traits;
  const auto known = std::ranges::find(starpu_policies, name, &StarpuPolicy::name);
  if (known != starpu_policies.end()) {
    return {.devices = known->devices, .looks_ahead = name == "graph_test"};
  }
  const bool declares = description.find("(devices: ends first)") != std::string_view::npos;
  return {.devices = declares ? DeviceUse::ends_first : DeviceUse::any_ready};
}

}  // namespace espalier::internal
