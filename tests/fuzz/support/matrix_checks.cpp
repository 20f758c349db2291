// SPDX-License-Identifier: BSD-3-Clause
#include "support/matrix_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "matrix/matrix_market.hpp"
#include "support/solver_oracle.hpp"

namespace espalier::fuzz {

using internal::InputNotes;
using internal::SparseMatrix;
using internal::TextSource;
using internal::Values;

namespace {

/// Larger matrices are not written again.
constexpr Count most_entries_written = 4000;

/// One in this number of small matrices is factorized, because that takes ten times as long as
/// reading.
constexpr std::uint32_t one_in_so_many = 8;

void expect_same_when_read_again(const SparseMatrix& matrix) {
  static const InputFile written("-written.mtx");
  internal::write_coordinate_matrix(written.path(), matrix);
  TextSource source(written.path(), 4096);
  InputNotes notes;
  const SparseMatrix again = internal::read_coordinate_matrix(source, Values::required, notes);
  expect(notes.duplicates_summed == 0 && notes.mirrors_averaged == 0, "a matrix with duplicates");
  expect_same(matrix, again, "the written matrix");
}

}  // namespace

std::optional<SparseMatrix> read_matrix(Reader read, const std::string& path, Values values,
                                        std::uint32_t variant) {
  constexpr std::array<std::size_t, 4> buffers{1, 16, 100, 4096};
  return accepted([&] {
    TextSource source(path, buffers[variant % buffers.size()]);
    InputNotes notes;
    return read(source, values, notes);
  });
}

std::optional<SparseMatrix> read_matrix_and_pattern(Reader read, const std::string& path,
                                                    std::uint32_t variant, Tally& tally) {
  auto matrix = read_matrix(read, path, Values::required, variant);
  const auto pattern = read_matrix(read, path, Values::pattern_only, variant / 4);
  if (pattern) {
    tally.note(matrix ? "accepted" : "accepted as a pattern");
    internal::check(pattern->pattern);
    expect(pattern->value.empty(), "a pattern with values");
  }
  expect(!matrix || (pattern && pattern->pattern.row == matrix->pattern.row),
         "a matrix without its pattern");
  return matrix;
}

void expect_same(const std::optional<SparseMatrix>& a, const std::optional<SparseMatrix>& b,
                 const std::string& whose) {
  expect(a.has_value() == b.has_value(), whose + ": accepted once and refused once");
  if (!a) return;
  expect(a->pattern.n == b->pattern.n && a->pattern.row == b->pattern.row &&
             a->pattern.column_begin == b->pattern.column_begin,
         whose + ": another pattern");
  expect(a->value == b->value, whose + ": other values");
}

void expect_good_matrix(const SparseMatrix& matrix, Bytes file, Tally& tally) {
  internal::check(matrix);
  if (matrix.pattern.entries() > most_entries_written) return;
  expect_same_when_read_again(matrix);
  const std::uint32_t variant = hash_of(file);
  if (matrix.pattern.n > largest_order || variant % one_in_so_many != 0) return;
  expect_solved(matrix, variant / one_in_so_many, tally);
}

void expect_sound(const internal::DenseVectors& vectors, Index n) {
  expect(vectors.n == n && vectors.count >= 1 &&
             vectors.value.size() == static_cast<std::size_t>(n) * vectors.count,
         "vectors of another size");
  expect(std::ranges::all_of(vectors.value, [](double v) { return std::isfinite(v); }),
         "a value that is not finite");
}

}  // namespace espalier::fuzz
