// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/block_structure.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/structure_check.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier {
namespace {

void check_permutation(const SymbolicFactor& factor) {
  const auto& [new_of, old_of] = factor.permutation;
  const auto n = static_cast<std::size_t>(factor.n);
  expect(new_of.size() == n && old_of.size() == n, "the permutation has ", new_of.size(), " and ",
         old_of.size(), " numbers, not ", n, " twice");
  for (Index v = 0; v < factor.n; ++v) {
    const bool inside = new_of[v] >= 0 && new_of[v] < factor.n;
    expect(inside && old_of[new_of[v]] == v, "the permutation maps ", v, " to ", new_of[v],
           ", but not back");
  }
}

void check_postorder(const SymbolicFactor& factor) {
  const Permutation order = postorder(factor.supernode_parent);
  for (Index s = 0; s < factor.supernodes(); ++s) {
    expect(order.new_of[s] == s, "supernode ", s, " is not in postorder");
  }
}

void check_values(const SymbolicFactor& factor) {
  const Count end = factor.value_begin.empty() ? 0 : factor.value_begin.back();
  check_offsets("value_begin", factor.value_begin, factor.panel_supernode.size(), end, 1);
  for (Index p = 0; p < factor.panels(); ++p) {
    const Count entries = static_cast<Count>(factor.width(p)) * factor.height(p);
    const Count room = factor.value_begin[p + 1] - factor.value_begin[p];
    expect(factor.value_begin[p] % 8 == 0, "the values of panel ", p, " begin at ",
           factor.value_begin[p], ", not at a multiple of 8");
    expect(room >= entries && room < entries + 8, "panel ", p, " has room for ", room,
           " values, but ", entries, " entries");
  }
  const OrderingCost cost = stored_cost(factor);
  expect(factor.nnz_l == static_cast<Count>(cost.entries), "nnz_l is ", factor.nnz_l,
         ", but the supernodes hold ", static_cast<Count>(cost.entries), " entries");
  expect(factor.flops == cost.flops, "flops is ", factor.flops, ", but the supernodes take ",
         cost.flops);
}

}  // namespace

void check(const SymbolicFactor& factor) {
  check_permutation(factor);
  check_supernodes(factor, factor.supernode_parent.size());
  check_tree(factor, factor.supernode_parent);
  check_postorder(factor);
  check_panels(factor);
  check_values(factor);
}

}  // namespace espalier
