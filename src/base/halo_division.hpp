// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "espalier/types.hpp"

namespace espalier::internal {

/// How the updates by each panel are divided between the host and devices. The names are HALO's
/// (Sao, Liu, Vuduc, Li: A sparse direct solver for distributed memory Xeon Phi-accelerated
/// systems, IPDPS 2015, sections V-B and VI-B).
struct HaloDivision {
  enum class Rule {
    mdwin,    ///< what is predicted to take both sides equally long
    paper,    ///< the same by equations 5 and 6 alone: GEMM and SCATTER apart, and nothing else
    static0,  ///< a fixed share of the columns that each panel updates
    static1   ///< the same, but no updates by a panel whose product for the devices is small
  };
  /// The product of the devices is small where a size is below its cut-off. The default is what the
  /// paper uses (footnote 4).
  struct CutOffs {
    Index rows = 512;     ///< m_t
    Index columns = 512;  ///< n_t
    Index inner = 16;     ///< k_t

    bool operator==(const CutOffs&) const = default;
  };

  Rule rule = Rule::mdwin;
  double share = 0.5;  ///< the part of the columns that devices take, for the static ones
  CutOffs cut_offs{};  ///< for static1

  /// Whether devices get nothing of the updates by a panel, of which their part is that product.
  bool is_too_small(Index rows, Index columns, Index inner) const {
    return rule == Rule::static1 &&
           (rows < cut_offs.rows || columns < cut_offs.columns || inner < cut_offs.inner);
  }
  bool operator==(const HaloDivision&) const = default;
};

/// What halo_division() understands, for messages.
inline constexpr std::string_view halo_divisions =
    "mdwin, mdwin:paper, static0:SHARE or static1:SHARE[:MxNxK], a share from 0 to 1 and whole "
    "numbers";

/// The same as words to be chosen from; a share follows a colon at the end.
inline constexpr std::array<std::string_view, 4> halo_division_words{"mdwin", "mdwin:paper",
                                                                     "static0:", "static1:"};

/// Returns what "mdwin", "mdwin:paper", "static0:0.3", "static1:0.3" or "static1:0.3:512x512x16"
/// stand for; nothing for any other text.
std::optional<HaloDivision> halo_division(std::string_view text);

}  // namespace espalier::internal
