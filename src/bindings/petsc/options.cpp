// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/petsc/options.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "bindings/petsc/failure.hpp"

namespace espalier::internal {

namespace {

std::string petsc_name(const NamedOption& option) {
  std::string name(option.name);
  std::ranges::replace(name, '-', '_');
  return "-mat_espalier_" + name;
}

/// The parameter has the name that PETSc's macros expect.
PetscErrorCode read_flag(PetscOptionItems* PetscOptionsObject, const char* name,
                         const std::string& help, const NamedOption& option, Options& options) {
  PetscBool value = PETSC_FALSE;
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsBool(name, help.c_str(), "MatGetFactor", value, &value, &given));
  if (given) options.set(option.name, value ? "1" : "0");
  PetscFunctionReturn(0);
}

PetscErrorCode read_text(PetscOptionItems* PetscOptionsObject, const char* name,
                         const std::string& help, const NamedOption& option, Options& options) {
  const std::string fallback(option.fallback);
  std::array<char, PETSC_MAX_PATH_LEN> value{};
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsString(name, help.c_str(), "MatGetFactor", fallback.c_str(), value.data(),
                               value.size(), &given));
  if (given) {
    PetscCall(guarded(PetscOptionsObject->comm, [&] { options.set(option.name, value.data()); }));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode read_list(PetscOptionItems* PetscOptionsObject, const char* name,
                         const std::string& help, const NamedOption& option, Options& options) {
  std::array<char*, 32> values{};
  auto count = static_cast<PetscInt>(values.size());
  PetscFunctionBegin;
  PetscCall(
      PetscOptionsStringArray(name, help.c_str(), "MatGetFactor", values.data(), &count, nullptr));
  for (PetscInt k = 0; k < count; ++k) {
    const PetscErrorCode failed =
        guarded(PetscOptionsObject->comm, [&] { options.set(option.name, values[k]); });
    PetscCall(PetscFree(values[k]));
    PetscCall(failed);
  }
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode read_petsc_options(Mat factor, Options& options) {
  const char* prefix = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)factor, &prefix));
  PetscOptionsBegin(PetscObjectComm((PetscObject)factor), prefix, "Options of Espalier", "Mat");
  for (const NamedOption& option : named_options()) {
    const std::string name = petsc_name(option);
    const std::string help(option.help);
    const auto read = option.flag ? read_flag : option.repeated ? read_list : read_text;
    PetscCall(read(PetscOptionsObject, name.c_str(), help, option, options));
  }
  PetscOptionsEnd();
  if (options.factor.factorization == Factorization::ldlt) match_for_pivots(options);
  PetscFunctionReturn(0);
}

}  // namespace espalier::internal
