// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/rank_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "scaling/coarse_log2.hpp"
#include "scaling/equilibration.hpp"

namespace espalier::internal {

namespace {

/// Replaces each number by its maximum over all ranks.
void find_largest(const Communicator& comm, std::span<float> numbers) {
  std::vector<double> all(numbers.begin(), numbers.end());
  comm.find_largest(all);
  std::ranges::transform(all, numbers.begin(),
                         [](double number) { return static_cast<float>(number); });
}

/// Entries of A, with local numbers. All ranks have the entries whose row and column they share.
struct OwnEntries {
  const LocalStructure& structure;
  const PanelEntries& entries;
  std::span<const double> values;

  /// Returns S.
  std::vector<double> scale(const Communicator& comm) const {
    const auto shared = static_cast<std::size_t>(structure.own_columns());
    const auto find_maxima = [&](std::span<const float> x, std::span<float> maximum) {
      std::ranges::fill(maximum, no_entry);
      for_each_entry(structure, entries, [&](Index i, Index j, Count k) {
        const float entry = coarse_log2(values[k]);
        maximum[i] = std::max(maximum[i], entry + x[j]);
        maximum[j] = std::max(maximum[j], entry + x[i]);
      });
      find_largest(comm, maximum.subspan(shared));
    };
    return equilibration(
        {structure.n, find_maxima, [&](std::span<float> numbers) { find_largest(comm, numbers); }});
  }
};

bool all_finite(const Communicator& comm, std::span<const double> values) {
  const bool here = std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  double refused = here ? 0 : 1;
  comm.find_largest(std::span(&refused, 1));
  return refused == 0;
}

}  // namespace

void scale_on_ranks(const Communicator& comm, const LocalStructure& structure,
                    const PanelEntries& entries, std::span<const double> values,
                    ScaledMatrix& scaled) {
  const OwnEntries own{structure, entries, values};
  scaled.factors = all_finite(comm, values)
                       ? own.scale(comm)
                       : std::vector<double>(static_cast<std::size_t>(structure.n), 1.0);
  for_each_entry(structure, entries, [&](Index i, Index j, Count k) {
    scaled.values[k] = values[k] * (scaled.factors[i] * scaled.factors[j]);
  });
}

}  // namespace espalier::internal
