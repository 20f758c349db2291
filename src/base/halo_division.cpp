// SPDX-License-Identifier: BSD-3-Clause

#include "base/halo_division.hpp"

#include <charconv>
#include <system_error>

namespace espalier::internal {

namespace {

/// Reads numbers, and single letters between them, from a text.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : text_(text) {}

  template <class Number>
  bool take(Number& number) {
    const auto [at, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<std::size_t>(at - text_.data()));
    return number >= 0;
  }
  bool take(char letter) {
    if (!text_.starts_with(letter)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

bool take_cut_offs(NumberReader& reader, HaloDivision::CutOffs& cut_offs) {
  return reader.take(cut_offs.rows) && reader.take('x') && reader.take(cut_offs.columns) &&
         reader.take('x') && reader.take(cut_offs.inner);
}

}  // namespace

std::optional<HaloDivision> halo_division(std::string_view text) {
  HaloDivision division;
  if (text == "mdwin") return division;
  if (text == "mdwin:paper") return HaloDivision{HaloDivision::Rule::paper};
  constexpr std::string_view static0 = "static0:";
  constexpr std::string_view static1 = "static1:";
  const bool all_sizes = text.starts_with(static0);
  if (!all_sizes && !text.starts_with(static1)) return {};
  division.rule = all_sizes ? HaloDivision::Rule::static0 : HaloDivision::Rule::static1;
  NumberReader reader(text.substr(static0.size()));
  if (!reader.take(division.share) || !(division.share <= 1)) return {};
  if (!all_sizes && reader.take(':') && !take_cut_offs(reader, division.cut_offs)) return {};
  return reader.at_end() ? std::optional(division) : std::nullopt;
}

}  // namespace espalier::internal
