// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/parameters.hpp"

#include <array>
#include <string>

#include "bindings/pardiso/workers.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

Parameters default_parameters(Dialect dialect, Count mtype) {
  Parameters defaults;
  defaults.set(iparm::given, 1);
  defaults.set(iparm::ordering, dialect == Dialect::mkl ? 3 : 2);
  if (dialect == Dialect::panua) defaults.set(iparm::panua_processors, expected_workers());
  defaults.set(iparm::refinement, 2);
  defaults.set(iparm::factor_entries, -1);
  defaults.set(iparm::operations, -1);
  if (mtype != -2) return defaults;
  defaults.set(iparm::perturbation, 8);
  defaults.set(iparm::pivoting, 1);
  return defaults;
}

namespace {

/// A parameter with a feature that Espalier does not have.
struct Unsupported {
  Dialect dialect;
  int number;
  const char* feature;
};

constexpr std::array unsupported{
    Unsupported{Dialect::mkl, iparm::mkl_single, "single precision"},
    Unsupported{Dialect::mkl, iparm::mkl_schur, "Schur complements"},
    Unsupported{Dialect::mkl, iparm::mkl_storage, "matrices of blocks"},
    Unsupported{Dialect::mkl, iparm::mkl_inverse, "the diagonal of the inverse"},
    Unsupported{Dialect::panua, iparm::panua_iterative, "the iterative solver"},
    Unsupported{Dialect::panua, iparm::panua_schur, "Schur complements"},
};

}  // namespace

void expect_supported(const Parameters& parameters, Dialect dialect) {
  for (const Unsupported& entry : unsupported) {
    if (entry.dialect != dialect || parameters(entry.number) == 0) continue;
    throw UsageError("iparm(" + std::to_string(entry.number) + ") is " +
                     std::to_string(parameters(entry.number)) + ", but " + entry.feature +
                     " are not supported; set it to 0");
  }
}

}  // namespace espalier::internal
