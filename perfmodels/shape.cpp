// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/cost_table.hpp"
#include "base/device_budget.hpp"

namespace espalier::internal {

namespace {

/// The hash FNV-1a.
class Fingerprint {
 public:
  constexpr void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  constexpr void add(std::size_t number) {
    for (; number != 0; number >>= 8) step(number & 0xff);
    step(0);
  }
  constexpr std::uint32_t value() const { return value_; }

 private:
  constexpr void step(std::size_t byte) {
    value_ = (value_ ^ static_cast<std::uint32_t>(byte)) * 16777619U;
  }
  std::uint32_t value_ = 2166136261U;
};

/// Returns the fingerprint of all data that a policy reads from a task: the version of Espalier,
/// the names of kinds and queues, and the sizes and positions of the data.
constexpr std::uint32_t layout() {
  Fingerprint print;
  print.add(ESPALIER_VERSION);
  for (const TaskKindTraits& kind : task_kind_table) print.add(kind.name);
  for (const std::string_view name : kernel_queue_names) print.add(name);
  for (const std::size_t size : {sizeof(Shape), sizeof(DeviceBudget), sizeof(DeviceTable),
                                 sizeof(QueueRecord), sizeof(Index)}) {
    print.add(size);
  }
  for (const std::size_t place : {offsetof(Shape, m),
                                  offsetof(Shape, n),
                                  offsetof(Shape, k),
                                  offsetof(Shape, flops),
                                  offsetof(Shape, seconds),
                                  offsetof(Shape, kernels),
                                  offsetof(Shape, device_seconds),
                                  offsetof(Shape, device_kernels),
                                  offsetof(Shape, path),
                                  offsetof(Shape, announced),
                                  offsetof(Shape, square),
                                  offsetof(Shape, row),
                                  offsetof(Shape, column),
                                  offsetof(Shape, own_row),
                                  offsetof(Shape, own_column),
                                  offsetof(Shape, level),
                                  offsetof(Shape, l_partition),
                                  offsetof(Shape, w_partition),
                                  offsetof(Shape, device),
                                  offsetof(Shape, device_budget),
                                  offsetof(Shape, device_costs),
                                  offsetof(Shape, queued)}) {
    print.add(place);
  }
  return print.value();
}

std::string prefix() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "espalier_";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[layout() >> shift & 0xf];
  return text + "_";
}

}  // namespace

const std::string& model_symbol_prefix() {
  static const std::string text = prefix();
  return text;
}

}  // namespace espalier::internal
