// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/cost_choice.hpp"

#include <filesystem>
#include <string_view>

#include "perfmodels/user_files.hpp"

namespace espalier {

namespace {

CostChoice chosen(const char* source, const std::string& name, CostFile file) {
  return {source, name, std::make_shared<CostTable>(std::move(file.table))};
}

/// Without reading the whole of it: a shipped table is parsed only where it fits.
bool is_for(const ShippedTable& table, const std::string& cpu) {
  return std::string_view(table.json).find("\"cpu\": \"" + cpu + "\"") != std::string_view::npos;
}

}  // namespace

CostChoice choose_costs(const std::string& user_file, const std::string& cpu) {
  if (std::error_code error; std::filesystem::exists(user_file, error)) {
    CostFile file = read_cost_file(user_file);
    if (file.cpu == cpu) return chosen("calibrated", user_file, std::move(file));
  }
  for (const ShippedTable& table : shipped_tables()) {
    if (is_for(table, cpu)) {
      return chosen("shipped", table.name, cost_file_from_json(table.json, table.name));
    }
  }
  return {"analytic", "", nullptr};
}

const CostChoice& this_machines_costs() {
  static const CostChoice choice = choose_costs(user_cost_file(), cpu_name());
  return choice;
}

std::string user_cost_file() { return user_file("costs"); }

}  // namespace espalier
