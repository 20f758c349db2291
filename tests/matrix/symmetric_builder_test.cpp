// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/symmetric_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "support/expect.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using support::Entry;
using support::expect_equal;
using support::expect_error;
using Entries = std::vector<Entry>;
using Kind = EntryDefect::Kind;

struct Built {
  SparseMatrix matrix;
  InputNotes notes;
};

Built build(Index n, Storage storage, const Entries& entries, bool with_values = true,
            Count expected = 0) {
  SymmetricBuilder builder(n, storage, with_values, expected);
  for (const Entry& entry : entries) builder.add(entry.row, entry.column, entry.value);
  Built built;
  built.matrix = builder.finish(built.notes);
  return built;
}

EntryDefect defect_of(Index n, Storage storage, const Entries& entries, bool with_values = true) {
  try {
    build(n, storage, entries, with_values);
  } catch (const EntryError& error) {
    return error.defect;
  }
  ADD_FAILURE() << "no defect was found";
  return {};
}

Entries lower_entries(const SparseMatrix& a) {
  Entries entries;
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      entries.push_back({a.pattern.row[k], j, a.value[k]});
    }
  }
  return entries;
}

Entries mirrored(Entries entries) {
  for (Entry& entry : entries) std::swap(entry.row, entry.column);
  return entries;
}

Entries both_triangles(const Entries& lower) {
  Entries entries = lower;
  for (const Entry& entry : lower) {
    if (entry.row != entry.column) entries.push_back({entry.column, entry.row, entry.value});
  }
  return entries;
}

TEST(SymmetricBuilder, GivesTheSameMatrixFromAnyOrderOfTheEntries) {
  std::mt19937_64 generator(11);
  for (const auto& [name, a] : support::small_matrices()) {
    SCOPED_TRACE(name);
    const Index n = a.pattern.n;
    const Entries lower = lower_entries(a);
    Entries shuffled = lower;
    std::shuffle(shuffled.begin(), shuffled.end(), generator);
    Entries full = both_triangles(lower);
    std::shuffle(full.begin(), full.end(), generator);

    expect_equal(build(n, Storage::one_triangle, lower).matrix, a);
    expect_equal(build(n, Storage::one_triangle, mirrored(lower)).matrix, a);
    expect_equal(build(n, Storage::one_triangle, shuffled).matrix, a);
    expect_equal(build(n, Storage::one_triangle, mirrored(shuffled)).matrix, a);
    expect_equal(build(n, Storage::both_triangles, full).matrix, a);
    expect_equal(build(n, Storage::one_triangle, shuffled, true, 7).matrix, a);
  }
}

TEST(SymmetricBuilder, TakesEachEntryFromEitherTriangle) {
  const SparseMatrix a = support::liu_1990();
  Entries mixed = lower_entries(a);
  for (std::size_t k = 0; k < mixed.size(); k += 2) std::swap(mixed[k].row, mixed[k].column);

  expect_equal(build(10, Storage::one_triangle, mixed).matrix, a);
}

TEST(SymmetricBuilder, GivesThePatternWithoutValues) {
  const SparseMatrix a = support::liu_1990();
  const Entries lower = lower_entries(a);
  for (const Storage storage : {Storage::one_triangle, Storage::both_triangles}) {
    const Entries entries = storage == Storage::one_triangle ? lower : both_triangles(lower);
    const Built built = build(10, storage, entries, false);
    EXPECT_EQ(built.matrix.pattern.row, a.pattern.row);
    EXPECT_TRUE(built.matrix.value.empty());
  }
}

TEST(SymmetricBuilder, SumsDuplicatesAndCountsThem) {
  const Entries lower{{0, 0, 1}, {1, 0, 2}, {1, 0, 3}, {1, 1, 9}, {0, 0, 4}, {1, 0, 5}};
  for (const Entries& entries : {lower, mirrored(lower)}) {
    const Built built = build(2, Storage::one_triangle, entries);

    EXPECT_EQ(built.matrix.value, (std::vector<double>{5, 10, 9}));
    EXPECT_EQ(built.notes.entries_read, 6);
    EXPECT_EQ(built.notes.duplicates_summed, 3);
    EXPECT_EQ(built.notes.mirrors_averaged, 0);
  }
}

TEST(SymmetricBuilder, SumsDuplicatesOfEachTriangleBeforeComparingThem) {
  const Built built = build(2, Storage::both_triangles,
                            {{0, 0, 9}, {1, 0, 1}, {0, 1, 1.5}, {1, 1, 9}, {1, 0, 2}, {0, 1, 1.5}});

  EXPECT_EQ(built.matrix.value, (std::vector<double>{9, 3, 9}));
  EXPECT_EQ(built.notes.duplicates_summed, 2);
}

TEST(SymmetricBuilder, SumsInTheOrderOfArrival) {
  const std::vector<double> parts{1e16, 1, -1e16, 1};  // 1 in this order, 2 and 0 in others
  Entries entries{{1, 1, 1}, {0, 0, 0}};
  for (const double part : parts) entries.push_back({0, 0, part});

  EXPECT_EQ(build(2, Storage::one_triangle, entries).matrix.value[0], 1);
}

TEST(SymmetricBuilder, AgreesWithAMapOnRandomDuplicates) {
  std::mt19937_64 generator(3);
  std::uniform_int_distribution<Index> vertex(0, 29);
  std::uniform_int_distribution<int> value(-8, 8);  // sums are exact in any order
  Entries entries;
  std::map<std::pair<Index, Index>, double> expected;  // by column, then row
  const auto add = [&](Index i, Index j, double v) {
    entries.push_back({i, j, v});
    expected[{j, i}] += v;
  };
  for (Index j = 0; j < 30; ++j) add(j, j, 100);
  for (int k = 0; k < 2000; ++k) {
    const Index one = vertex(generator), other = vertex(generator);
    add(std::max(one, other), std::min(one, other), value(generator));
  }
  std::shuffle(entries.begin(), entries.end(), generator);

  const Built built = build(30, Storage::one_triangle, entries);

  ASSERT_EQ(built.matrix.pattern.entries(), std::ssize(expected));
  EXPECT_EQ(built.notes.duplicates_summed, std::ssize(entries) - std::ssize(expected));
  check(built.matrix);
  Index column = 0;
  for (Count k = 0; const auto& [place, sum] : expected) {
    while (built.matrix.pattern.column_begin[column + 1] <= k) ++column;
    EXPECT_EQ(column, place.first);
    EXPECT_EQ(built.matrix.pattern.row[k], place.second);
    EXPECT_EQ(built.matrix.value[k], sum);
    ++k;
  }
}

TEST(SymmetricBuilder, AveragesMirrorsThatDifferByRounding) {
  const double value = 3, close = value * (1 + 0.9e-10);
  const Built built =
      build(2, Storage::both_triangles, {{0, 0, 9}, {1, 0, value}, {0, 1, close}, {1, 1, 9}});

  EXPECT_EQ(built.notes.mirrors_averaged, 1);
  EXPECT_DOUBLE_EQ(built.matrix.value[1], value * (1 + 0.45e-10));
}

TEST(SymmetricBuilder, RefusesMirrorsThatDifferByMore) {
  const EntryDefect defect = defect_of(
      2, Storage::both_triangles, {{0, 0, 9}, {1, 0, 3}, {0, 1, 3 * (1 + 1.1e-10)}, {1, 1, 9}});

  EXPECT_EQ(defect.kind, Kind::mirror_differs);
  EXPECT_EQ(defect.row, 1);
  EXPECT_EQ(defect.column, 0);
  EXPECT_EQ(defect.value, 3);
  EXPECT_NE(defect.describe(1).find("(2, 1) = 3 differs from its mirror (1, 2)"),
            std::string::npos);
}

TEST(SymmetricBuilder, AcceptsAsRoundingWhatTheDiagonalSwallows) {
  const double noise = 1e-17;
  const Entries entries{{0, 0, 1}, {1, 0, noise}, {0, 1, -3 * noise}, {1, 1, 4}};
  const Built built = build(2, Storage::both_triangles, entries);
  EXPECT_EQ(built.notes.mirrors_averaged, 1);
  EXPECT_DOUBLE_EQ(built.matrix.value[1], -noise);

  const Entries one_missing{{0, 0, 1}, {1, 0, noise}, {1, 1, 4}};
  EXPECT_DOUBLE_EQ(build(2, Storage::both_triangles, one_missing).matrix.value[1], noise / 2);

  const Entries small_diagonal{{0, 0, 1}, {1, 0, noise}, {0, 1, -3 * noise}, {1, 1, 1e-6}};
  EXPECT_EQ(defect_of(2, Storage::both_triangles, small_diagonal).kind, Kind::mirror_differs);
}

TEST(SymmetricBuilder, RefusesAMissingMirrorAndNamesTheOneThatIsThere) {
  const EntryDefect above =
      defect_of(2, Storage::both_triangles, {{0, 0, 9}, {0, 1, 3}, {1, 1, 9}});
  EXPECT_EQ(above.kind, Kind::mirror_missing);
  EXPECT_EQ(above.row, 0);
  EXPECT_EQ(above.column, 1);

  const EntryDefect below =
      defect_of(2, Storage::both_triangles, {{0, 0, 9}, {1, 0, 3}, {1, 1, 9}});
  EXPECT_EQ(below.kind, Kind::mirror_missing);
  EXPECT_EQ(below.row, 1);

  EXPECT_EQ(defect_of(2, Storage::both_triangles, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, false).kind,
            Kind::mirror_missing);
}

TEST(SymmetricBuilder, KeepsAZeroWhoseMirrorIsMissing) {
  const Built built = build(2, Storage::both_triangles, {{0, 0, 9}, {1, 0, 0}, {1, 1, 9}});

  EXPECT_EQ(built.matrix.value, (std::vector<double>{9, 0, 9}));
  EXPECT_EQ(built.notes.mirrors_averaged, 0);
}

TEST(SymmetricBuilder, RefusesAnEntryAndItsMirrorInOneTriangle) {
  const EntryDefect defect =
      defect_of(3, Storage::one_triangle, {{0, 0, 9}, {2, 0, 3}, {1, 1, 9}, {2, 2, 9}, {0, 2, 3}});

  EXPECT_EQ(defect.kind, Kind::mirror_in_one_triangle);
  EXPECT_EQ(defect.row, 2);
  EXPECT_EQ(defect.column, 0);
}

TEST(SymmetricBuilder, FindsTheFirstMissingDiagonal) {
  const auto missing = [](Index n, Storage storage, const Entries& entries) {
    const EntryDefect defect = defect_of(n, storage, entries);
    EXPECT_EQ(defect.kind, Kind::missing_diagonal);
    EXPECT_EQ(defect.row, defect.column);
    return defect.row;
  };
  for (const Storage storage : {Storage::one_triangle, Storage::both_triangles}) {
    EXPECT_EQ(missing(1, storage, {}), 0);
    EXPECT_EQ(missing(3, storage, {{0, 0, 1}, {1, 1, 1}}), 2);
    EXPECT_EQ(missing(3, storage, {{0, 0, 1}, {2, 2, 1}}), 1);
    EXPECT_EQ(missing(3, storage, {{1, 1, 1}, {2, 2, 1}}), 0);
    EXPECT_EQ(missing(3, storage, {{2, 2, 1}, {0, 0, 1}}), 1);
    EXPECT_EQ(missing(3, storage, {{0, 0, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}}), 1);
  }
}

TEST(SymmetricBuilder, AddsAMissingDiagonalWhereItIsToBe) {
  for (const Storage storage : {Storage::one_triangle, Storage::both_triangles}) {
    SymmetricBuilder builder(4, storage, true, 0);
    builder.add(1, 1, 5);
    builder.add(2, 1, 3);
    if (storage == Storage::both_triangles) builder.add(1, 2, 3);
    InputNotes notes;
    const SparseMatrix a = builder.finish(notes, Diagonal::added);
    EXPECT_EQ(a.pattern.row, (std::vector<Index>{0, 1, 2, 2, 3}));
    EXPECT_EQ(a.value, (std::vector<double>{0, 5, 3, 0, 0}));
    EXPECT_EQ(notes.diagonal_added, 3);
    EXPECT_EQ(notes.entries_read, storage == Storage::both_triangles ? 3 : 2);
  }
}

TEST(SymmetricBuilder, AddsNoDiagonalThatTakesMuchMoreThanTheEntries) {
  SymmetricBuilder builder(std::numeric_limits<Index>::max(), Storage::one_triangle, false, 0);
  builder.add(1, 1);
  InputNotes notes;
  EXPECT_THROW(builder.finish(notes, Diagonal::added), EntryError);
}

TEST(SymmetricBuilder, NeedsNoMemoryForRowsThatDoNotCome) {
  const Index huge = std::numeric_limits<Index>::max();
  for (const Storage storage : {Storage::one_triangle, Storage::both_triangles}) {
    EXPECT_EQ(defect_of(huge, storage, {{0, 0, 1}, {1, 1, 1}}).row, 2);
    EXPECT_EQ(defect_of(huge, storage, {{0, 0, 1}, {huge - 1, huge - 1, 1}}).row, 1);
  }
}

TEST(SymmetricBuilder, RefusesASumThatOverflows) {
  const EntryDefect defect =
      defect_of(2, Storage::one_triangle, {{0, 0, 1}, {1, 0, 1e308}, {1, 0, 1e308}, {1, 1, 1}});

  EXPECT_EQ(defect.kind, Kind::sum_not_finite);
  EXPECT_EQ(defect.row, 1);
}

TEST(EntryDefect, IsDescribedInTheNumberingAskedFor) {
  const EntryDefect defect{Kind::missing_diagonal, 6, 6};

  EXPECT_EQ(
      defect.describe(0),
      "the entry (6, 6) on the diagonal is missing, so the matrix is not positive definite; an "
      "indefinite matrix must store its zeros on the diagonal");
  EXPECT_EQ(
      defect.describe(1),
      "the entry (7, 7) on the diagonal is missing, so the matrix is not positive definite; an "
      "indefinite matrix must store its zeros on the diagonal");
  expect_error<InputError>([&] { throw EntryError(defect); }, {"(6, 6)"});
}

}  // namespace
}  // namespace espalier::internal
