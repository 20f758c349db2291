// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace espalier::internal {

enum class TaskKind : std::uint8_t {
  diagonal,  ///< D(j): POTRF of B(j,j)
  factor,    ///< F(t,j): tile t of panel j times the inverse of L(j,j)ᵀ
  update,    ///< U(a,t): tile t of panel k -= rows of tile a of panel j times B(k,j)ᵀ
  subtree,   ///< S(r): everything inside group r
  assemble,  ///< A(r,t): tile t of panel k -= all that panels of group r contribute
  reduce,    ///< R(t,q): tile t += what the subtrees of rank q contribute to it
  fill,      ///< tile t := the entries of A there, where accelerators may write it later
  forward,   ///< X: one node of the solve with L
  backward,  ///< X: one node of the solve with Lᵀ
};

inline constexpr std::array<std::string_view, 9> task_kind_names{
    "diagonal", "factor", "update", "subtree", "assemble", "reduce", "fill", "forward", "backward"};
inline constexpr std::size_t task_kinds = task_kind_names.size();

constexpr std::string_view name_of(TaskKind kind) {
  return task_kind_names[static_cast<std::size_t>(kind)];
}

/// The kind of that name; task_kinds, as a number, where there is none.
constexpr TaskKind kind_named(std::string_view name) {
  std::size_t kind = 0;
  while (kind < task_kinds && task_kind_names[kind] != name) ++kind;
  return static_cast<TaskKind>(kind);
}

}  // namespace espalier::internal
