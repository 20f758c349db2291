// SPDX-License-Identifier: BSD-3-Clause
#include "base/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace espalier::internal {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

std::size_t most_changes(std::string_view a, std::string_view b) {
  constexpr std::size_t letters_a_change = 3;
  constexpr std::size_t most = 3;
  return std::min(std::min(a.size(), b.size()) / letters_a_change, most);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a's first i letters to prefixes of b
  std::iota(row.begin(), row.end(), 0);
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> two_above = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1)});
      const bool exchanged =
          i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (exchanged) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view unknown, const std::vector<std::string>& known) {
  constexpr std::size_t longest_name = 64;  // of known names; users may give longer ones
  constexpr std::size_t most_names = 3;
  if (unknown.size() > longest_name) return {};
  std::vector<std::string_view> nearest;
  std::size_t least = unknown.size();
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(unknown, name);
    if (distance > most_changes(unknown, name) || distance > least) continue;
    if (distance < least) nearest.clear();
    least = distance;
    nearest.push_back(name);
  }
  if (nearest.empty() || nearest.size() > most_names) return {};
  std::string names;
  for (const std::string_view name : nearest) {
    names.append(names.empty() ? "" : " or ").append(name);
  }
  return "did you mean " + names + "? ";
}

}  // namespace espalier::internal
