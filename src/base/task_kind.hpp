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
  assemble,  ///< A(r,t): tile t of panel k -= the contributions of all panels of group r
  reduce,    ///< R(t,q): tile t += the contribution of the subtrees of rank q
  fill,      ///< tile t := its entries of A, if accelerators may write it later
  forward,   ///< X: one node of the solve with L
  backward,  ///< X: one node of the solve with Lᵀ
};

/// Fixed properties of a kind of tasks.
struct TaskKindTraits {
  std::string_view name;  ///< in reports, models and function names of coprocessors
  const char* symbol;     ///< in traces of StarPU, where names are short
  unsigned color;         ///< in charts and traces, 0xRRGGBB
  bool slices = false;    ///< several workers can run it together, each on some of its rows
};

/// Traits of all kinds, in the order of TaskKind. The colours are distinguishable with any colour
/// vision (P. Tol, "Colour schemes", 2021).
inline constexpr std::array<TaskKindTraits, 9> task_kind_table{{{"diagonal", "D", 0xee6677},
                                                                {"factor", "F", 0xccbb44, true},
                                                                {"update", "U", 0x4477aa, true},
                                                                {"subtree", "S", 0x228833},
                                                                {"assemble", "A", 0x66ccee, true},
                                                                {"reduce", "R", 0x332288, true},
                                                                {"fill", "fill", 0x999933},
                                                                {"forward", "XF", 0xaa3377},
                                                                {"backward", "XB", 0xbbbbbb}}};
inline constexpr std::size_t task_kinds = task_kind_table.size();

constexpr const TaskKindTraits& traits_of(TaskKind kind) {
  return task_kind_table[static_cast<std::size_t>(kind)];
}

constexpr std::string_view name_of(TaskKind kind) { return traits_of(kind).name; }

/// Returns the kind with this name, or the value task_kinds if there is none.
constexpr TaskKind kind_named(std::string_view name) {
  std::size_t kind = 0;
  while (kind < task_kinds && task_kind_table[kind].name != name) ++kind;
  return static_cast<TaskKind>(kind);
}

}  // namespace espalier::internal
