// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Rule that divides the updates by each panel between the host and the devices. The names are
/// HALO's (Sao, Liu, Vuduc, Li: A sparse direct solver for distributed memory Xeon Phi-accelerated
/// systems, IPDPS 2015, sections V-B and VI-B).
struct HaloDivision {
  enum class Rule {
    mdwin,    ///< host and devices are predicted to take equally long
    paper,    ///< the same, predicted by equations 5 and 6 alone, with separate GEMM and SCATTER
    static0,  ///< devices get a fixed share of the columns that each panel updates
    static1   ///< the same, but devices get no updates by panels with a small product
  };
  /// Sizes below which the product of the devices counts as small. It is small if any dimension is
  /// below its cut-off. The defaults are those of the paper (footnote 4).
  struct CutOffs {
    Index rows = 512;     ///< m_t
    Index columns = 512;  ///< n_t
    Index inner = 16;     ///< k_t

    bool operator==(const CutOffs&) const = default;
  };

  Rule rule = Rule::mdwin;
  double share = 0.5;  ///< share of the columns for devices, for static0 and static1
  CutOffs cut_offs{};  ///< for static1

  /// Returns whether devices get no updates by a panel because their product would have these
  /// sizes.
  bool is_too_small(Index rows, Index columns, Index inner) const {
    return rule == Rule::static1 &&
           (rows < cut_offs.rows || columns < cut_offs.columns || inner < cut_offs.inner);
  }
  bool operator==(const HaloDivision&) const = default;
};

/// Texts that halo_division() accepts, for messages.
inline constexpr std::string_view halo_divisions =
    "mdwin, mdwin:paper, static0:SHARE or static1:SHARE[:MxNxK], a share from 0 to 1 and whole "
    "numbers";

/// The same texts as words to choose from. A share follows a final colon.
inline constexpr std::array<std::string_view, 4> halo_division_words{"mdwin", "mdwin:paper",
                                                                     "static0:", "static1:"};

/// Returns the division for "mdwin", "mdwin:paper", "static0:0.3", "static1:0.3" or
/// "static1:0.3:512x512x16"; nothing for any other text.
std::optional<HaloDivision> halo_division(std::string_view text);

}  // namespace espalier::internal
