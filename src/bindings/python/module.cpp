// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/common/stored_triangle.hpp"
#include "bindings/python/factor.hpp"
#include "bindings/python/interpreter.hpp"
#include "bindings/python/runtime.hpp"
#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "espalier/symmetry.hpp"

namespace nb = nanobind;

namespace espalier::internal {

namespace {

template <class Number>
using Array = nb::ndarray<Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Vectors one after another, as columns.
template <class Number>
using Columns = nb::ndarray<Number, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class Of>
auto span_of(const Of& array) {
  return std::span(array.data(), array.size());
}

/// Returns a NumPy array that owns the numbers.
template <class Number>
auto owned(std::vector<Number>&& numbers) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(numbers));
  Number* const data = kept->data();
  const std::size_t size = kept->size();
  const nb::capsule owner(kept.release(), [](void* vector) noexcept {
    delete static_cast<std::vector<Number>*>(vector);
  });
  return nb::ndarray<nb::numpy, Number, nb::ndim<1>>(data, {size}, owner);
}

const char* class_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "UsageError";
    case ErrorCode::scheduler: return "UnknownSchedulerError";
    case ErrorCode::input: return "InputError";
    case ErrorCode::memory: return "OutOfMemoryError";
    default: return "RuntimeFailure";
  }
}

void translate(const std::exception_ptr& exception, void* /*unused*/) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    const nb::object type = nb::module_::import_("espalier.errors").attr(class_for(error.code()));
    PyErr_SetString(type.ptr(), error.what());
  }
}

/// Calls the function without holding Python's lock.
template <class Function>
auto unlocked(Function&& function) {
  const Unlocked release;
  return function();
}

/// Returns an owner of arrays. The owner takes Python's lock before it releases the arrays, because
/// the last user of the owner may not hold the lock.
template <class Arrays>
std::shared_ptr<const void> kept(const Arrays& arrays) {
  return std::shared_ptr<Arrays>(new Arrays(arrays), [](Arrays* ours) {
    const nb::gil_scoped_acquire lock;
    delete ours;
  });
}

/// Makes an object. The values of the triangle may be None.
void analyze(PythonFactor* self, const Array<const Count>& begin, const Array<const Index>& row,
             const std::optional<Array<const double>>& value, bool upper,
             const std::vector<std::string>& options, bool keep_order, const PythonFactor* previous,
             const std::optional<Array<const Index>>& previous_column) {
  const auto owner = kept(std::tuple(begin, row, value));
  const std::span<const double> values = value ? span_of(*value) : std::span<const double>();
  const std::span<const Index> columns =
      previous_column ? span_of(*previous_column) : std::span<const Index>();
  unlocked([&] {
    new (self) PythonFactor(span_of(begin), span_of(row), values, upper, owner, options, keep_order,
                            previous, columns);
  });
}

/// Returns the order, and the parents, first positions and ends of the parts.
nb::tuple separator_tree(const PythonFactor& self) {
  const SeparatorTree& tree = self.analysis().separator_tree();
  std::vector<Index> parent;
  std::vector<Index> first;
  std::vector<Index> end;
  for (const TreePart& part : tree.part) {
    parent.push_back(part.parent);
    first.push_back(part.first);
    end.push_back(part.end);
  }
  return nb::make_tuple(owned(std::vector<Index>(tree.column)), owned(std::move(parent)),
                        owned(std::move(first)), owned(std::move(end)));
}

nb::tuple lower(PythonFactor& self, bool keep_zeros) {
  LowerFactor l = unlocked(
      [&] { return self.lower(keep_zeros ? ExplicitZeros::kept : ExplicitZeros::dropped); });
  return nb::make_tuple(owned(std::move(l.column_begin)), owned(std::move(l.row)),
                        owned(std::move(l.value)));
}

void set_signs(PythonFactor& self, const Array<const std::int8_t>& signs) {
  std::vector<signed char> copy(signs.data(), signs.data() + signs.size());
  unlocked([&] { self.set_signs(std::move(copy)); });
}

nb::tuple inertia(PythonFactor& self) {
  const Inertia known = unlocked([&] { return self.inertia(); });
  const bool exact = known.status == Inertia::Status::exact;
  return nb::make_tuple(known.positive, known.negative, known.zero, exact ? "exact" : "uncertain");
}

/// Returns the sign of the determinant and the logarithm of its magnitude.
nb::tuple slogdet(PythonFactor& self) {
  const Determinant known = unlocked([&] { return self.determinant(); });
  return nb::make_tuple((known.mantissa > 0) - (known.mantissa < 0), known.log());
}

std::string failed_pivot_of(Index column, bool is_signed) {
  return failed_pivot(column, is_signed ? Factorization::ldlt : Factorization::llt);
}

void solve_part(PythonFactor& self, System system, const Columns<const double>& b,
                const Columns<double>& x) {
  self.solve_part(system, span_of(b), span_of(x));
}

/// Returns offsets and rows of a triangle, or None if StoredTriangle::copy_pattern() fails.
template <class Number>
nb::object triangle_pattern(const Array<const Count>& begin, const Array<const Number>& row,
                            bool upper) {
  std::vector<Count> own_begin;
  std::vector<Index> own_row;
  const bool found = unlocked([&] {
    return StoredTriangle(span_of(begin), span_of(row), upper).copy_pattern(own_begin, own_row);
  });
  if (!found) return nb::none();
  return nb::make_tuple(owned(std::move(own_begin)), owned(std::move(own_row)));
}

/// Returns the numbers of entries below and above the diagonal of compressed columns. Throws
/// InputError if both triangles have entries and differ. If the arrays are compressed rows
/// (`by_rows`), the message still names rows and columns of the matrix correctly.
template <class Number>
nb::tuple compare_triangles(const Array<const Count>& begin, const Array<const Number>& row,
                            const Array<const double>& value, bool by_rows) {
  const TriangleComparison found = unlocked(
      [&] { return StoredTriangle(span_of(begin), span_of(row), false).compare(span_of(value)); });
  if (found.difference) {
    refuse_asymmetry(by_rows ? transposed(*found.difference) : *found.difference, 0,
                     "to read only one triangle, use check=False");
  }
  return nb::make_tuple(found.lower, found.upper);
}

/// Returns the matrix with the values of a triangle, or None if the triangle has other entries than
/// the pattern.
template <class Number>
nb::object matrix_of(const PythonFactor& self, const Array<const Count>& begin,
                     const Array<const Number>& row, const Array<const double>& value, bool upper) {
  std::optional<Matrix> matrix = unlocked([&] {
    return self.matrix_of(StoredTriangle(span_of(begin), span_of(row), upper), span_of(value));
  });
  return matrix ? nb::cast(std::move(*matrix)) : nb::none();
}

using WithoutLock = nb::call_guard<Unlocked>;

template <class Number>
void define_triangles(nb::module_& module) {
  module.def("compare_triangles", &compare_triangles<Number>, nb::arg(), nb::arg().noconvert(),
             nb::arg(), nb::arg());
  module.def("triangle_pattern", &triangle_pattern<Number>, nb::arg(), nb::arg().noconvert(),
             nb::arg());
}

void define_factor(nb::module_& module) {
  // NOLINTNEXTLINE(bugprone-unused-raii): the module keeps the class
  nb::class_<Matrix>(module, "Matrix");
  nb::class_<PythonFactor>(module, "Factor")
      .def("__init__", &analyze, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg().none(), nb::arg().none())
      .def("separator_tree", &separator_tree)
      .def("save_ordering",
           [](const PythonFactor& self, const std::string& file) {
             unlocked([&] { self.analysis().save_ordering(file); });
           })
      .def("prepare", &PythonFactor::prepare, WithoutLock())
      .def("matrix_of", &matrix_of<std::int32_t>, nb::arg(), nb::arg().noconvert(), nb::arg(),
           nb::arg())
      .def("matrix_of", &matrix_of<std::int64_t>, nb::arg(), nb::arg().noconvert(), nb::arg(),
           nb::arg())
      .def("matrix_of",
           [](const PythonFactor& self, const Array<const double>& values) {
             return unlocked([&] { return self.matrix_of(span_of(values)); });
           })
      .def("set_signs", &set_signs)
      .def("factorize", &PythonFactor::factorize, WithoutLock())
      .def("values",
           [](PythonFactor& self) { return owned(unlocked([&] { return self.values(); })); })
      .def(
          "solve",
          [](PythonFactor& self, const Columns<const double>& b, const Columns<double>& x) {
            return self.solve(span_of(b), span_of(x));
          },
          WithoutLock(), nb::arg(), nb::arg().noconvert())
      .def("solve_part", &solve_part, WithoutLock(), nb::arg(), nb::arg(), nb::arg().noconvert())
      .def(
          "determinant", [](PythonFactor& self) { return self.determinant().value(); },
          WithoutLock())
      .def("slogdet", &slogdet)
      .def("inertia", &inertia)
      .def("growth", &PythonFactor::growth, WithoutLock())
      .def("replaced_pivots",
           [](PythonFactor& self) {
             return owned(unlocked([&] { return self.replaced_pivots(); }));
           })
      .def("report", &PythonFactor::report, WithoutLock())
      .def("summary", &PythonFactor::summary, WithoutLock())
      .def("page", &PythonFactor::page, WithoutLock())
      .def("diagonal",
           [](PythonFactor& self) { return owned(unlocked([&] { return self.diagonal(); })); })
      .def("lower", &lower)
      .def("permutation",
           [](const PythonFactor& self) {
             const auto known = self.analysis().permutation();
             return owned(std::vector<Index>(known.begin(), known.end()));
           })
      .def_prop_ro("size", [](const PythonFactor& self) { return self.analysis().size(); })
      .def_prop_ro("factor_entries",
                   [](const PythonFactor& self) { return self.analysis().factor_entries(); })
      .def_prop_ro("flops", [](const PythonFactor& self) { return self.analysis().flops(); });
}

}  // namespace

}  // namespace espalier::internal

NB_MODULE(_espalier, module) {
  using namespace espalier::internal;  // NOLINT: the module consists of these functions
  using espalier::System;
  // Factors may live until the end of the process. These are not leaks.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(translate);
  nb::enum_<System>(module, "System")
      .value("l", System::l)
      .value("lt", System::lt)
      .value("p", System::p)
      .value("pt", System::pt);
  define_factor(module);
  define_triangles<std::int32_t>(module);
  define_triangles<std::int64_t>(module);
  module.def("end_calls", &end_calls);
  module.def("expect_own_runtime", &expect_own_runtime);
  module.def("failed_pivot", &failed_pivot_of);
  module.def("singular_pivot",
             [](espalier::Index column) { return espalier::singular_pivot(column); });
  module.def("shut_down", &shut_down_runtime, nb::call_guard<Unlocked>());
  module.def("version", &espalier::version);
}
