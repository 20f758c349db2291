// SPDX-License-Identifier: BSD-3-Clause

// Files in JSON: calibrations of the host and of devices, tunings, machines to simulate, task
// graphs. All readers read each input. If one accepts it, the result is used, and, except for a
// graph, written and read again.

#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"
#include "perfmodels/machine_file.hpp"
#include "perfmodels/tuning_file.hpp"
#include "report/graph_reader.hpp"
#include "support/mutation.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

using namespace internal;
using Json = nlohmann::ordered_json;

namespace {

Reservoir& reservoir() {
  static Reservoir texts;
  return texts;
}

void use(const CostTable& table) {
  for (const double size : {0.0, 1.0, 3.0, 1e3, 1e18}) {
    const bool sound = table.potrf.at(size) > 0 && table.trsm.at(size, size) > 0 &&
                       table.syrk.at(size, size) > 0 && table.gemm.at(size, 2 * size, size) > 0;
    expect(sound, "a kernel that takes no time");
    expect(table.history.factor({TaskKind::subtree, size, 1e-6, size}) > 0, "a factor of no time");
  }
}

void use(const CostFile& file) { use(file.table); }
void use(const DeviceFile& file) {
  expect(file.table.gemm.at(3, 5, 7) > 0, "a kernel of a device that takes no time");
}
void use(const TuningFile& file) { (void)completed(FactorOptions{}, file.tuning); }
void use(const MachineFile& file) {
  use(file.costs.table);
  for (const Index busy : {0, 1, 2, 64, 2147483647}) {
    expect(file.time_at(busy) > 0 && file.time_at(busy, true) > 0, "a load that takes no time");
  }
  if (file.cores <= 1000) (void)file.seen_by_each(7);
  for (const MachineFile::Devices& devices : file.devices) {
    expect(devices.between().sound(), "a link between devices");
    expect(file.count_of(devices.architecture) >= 1, "no devices of an existing kind");
    (void)file.with_devices(devices.architecture, 1);
  }
}

template <class File>
void read_as(const std::string& text, File (*reader)(const std::string&, const std::string&),
             const std::string& kind, Tally& tally) {
  const auto file = accepted([&] { return reader(text, "file.json"); });
  if (!file) return;
  tally.note(kind);
  reservoir().keep(text);
  use(*file);
  const std::string written = to_json(*file);
  const auto again = accepted([&] { return reader(written, "again.json"); });
  expect(again.has_value(), "a file that cannot be read again: " + written);
  expect(to_json(*again) == written, "another file when written again");
}

void read_as_graph(const std::string& text, Tally& tally) {
  const auto graph = accepted([&] { return graph_from_json(text, "file.json"); });
  if (!graph) return;
  tally.note("task graph");
  reservoir().keep(text);
  const std::vector<double> seconds = cpu_seconds(*graph);
  const double work = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double path = longest_path(*graph, seconds);
  expect(path >= 0 && path <= work * (1 + 1e-9), "a path that is longer than all work");
  expect(widest_level(*graph) <= graph->size(), "a level with more tasks than the graph");
}

/// Appends all values of a document, including the document.
void collect(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  if (json.is_structured()) {
    for (Json& member : json) collect(member, all);
  }
}

Json other_value(const Json& value, Dice& dice) {
  constexpr std::array numbers{0.0,    -1.0, 1.0, 2.5,          1e-320, 1e308,
                               -1e308, 1e18, 3e9, 4294967297.0, 1e-9,   16.0};
  constexpr std::array<std::int64_t, 7> whole{0,          -1,        17,       2147483648,
                                              4294967297, INT64_MAX, INT64_MIN};
  switch (dice.roll(8)) {
    case 0: return nullptr;
    case 1: return std::string("\x01 \\ \xc3\xa9");
    case 2: return Json::array({value, value});
    case 3:
      return Json::object(
          {{"classes", {1, 1, 1}}, {"seconds_per_operation", {dice.pick(numbers)}}});
    case 4: return dice.chance(1, 2);
    case 5: return dice.pick(whole);
    case 6: return std::uint64_t{18446744073709551615u};
    default: return dice.pick(numbers);
  }
}

std::string nested(std::string inner, Dice& dice) {
  const std::size_t levels = std::size_t{1} << dice.roll(11);
  return std::string(levels, '[') + inner + std::string(levels, ']');
}

std::string mutated(Json json, Dice& dice) {
  std::vector<Json*> all;
  collect(json, all);
  Json& chosen = *dice.pick(all);
  switch (dice.roll(5)) {
    case 0:
      if (chosen.is_object() && !chosen.empty()) {
        chosen.erase(std::next(chosen.begin(), static_cast<long>(dice.roll(chosen.size()))));
      }
      break;
    case 1: chosen = Json(*dice.pick(all)); break;
    case 2:
      if (chosen.is_array() && !chosen.empty()) chosen.push_back(Json(chosen.front()));
      break;
    default: chosen = other_value(chosen, dice);
  }
  std::string text = json.dump();
  if (dice.chance(1, 40)) {
    const std::size_t at = text.rfind("1e-09");
    if (at != std::string::npos) text.replace(at, 5, nested("1", dice));
  }
  return text;
}

}  // namespace

void try_input(Bytes bytes) {
  static Tally tally("json");
  tally.input();
  const std::string text = text_of(bytes);
  read_as(text, cost_file_from_json, "calibration", tally);
  read_as(text, device_file_from_json, "calibration of devices", tally);
  read_as(text, tuning_file_from_json, "tuning", tally);
  read_as(text, machine_file_from_json, "machine", tally);
  read_as_graph(text, tally);
}

std::optional<std::string> other_input(const std::string& input, Dice& dice) {
  if (dice.chance(1, 12)) return std::nullopt;
  Json json = Json::parse(input, nullptr, false);
  if (json.is_discarded() || dice.chance(1, 3)) {
    json = Json::parse(reservoir().any(dice), nullptr, false);
  }
  if (json.is_discarded()) return std::nullopt;
  return mutated(std::move(json), dice);
}

}  // namespace espalier::fuzz
