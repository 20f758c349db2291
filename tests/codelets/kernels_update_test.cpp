// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "codelets/flavours.hpp"
#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

/// An inner dimension at which kernels copy their operands.
constexpr Index wide = 66;

/// Kinds of positions. Gapped ones are 1 to 3 apart. Sparse ones are 5 to 8 apart, so that a SIMD
/// vector of eight entries covers at most one further position.
enum class Map { identity, explicit_identity, gapped, sparse };

/// Increasing positions of rows or columns, and the number of places that they need.
struct Positions {
  std::vector<Index> list;
  Index places;
  bool null;

  Positions(Index count, Map map) : list(count), places(0), null(map == Map::identity) {
    for (Index i = 0; i < count; ++i) {
      list[i] = i;
      if (map == Map::gapped) list[i] += i / 3 + i / 7 + 2;
      if (map == Map::sparse) list[i] += 4 * i + i / 2 * 3;
    }
    places = count == 0 ? 1 : list.back() + 1;
  }
  const Index* data() const { return null ? nullptr : list.data(); }
};

struct UpdateCase {
  Index rows;
  Index columns;
  Index inner;
  bool lower;
  Map row_map;
  Map column_map;
};

/// Returns a target in which only the entries that this update writes are not NaN.
DenseSample target_of(const UpdateCase& c, const Positions& row, const Positions& column) {
  DenseSample target(row.places, column.places, 5);
  for (Index j = 0; j < c.columns; ++j) {
    for (Index i = c.lower ? j : 0; i < c.rows; ++i) {
      target(row.list[i], column.list[j]) = 1.0 / (1 + i + 2 * j);
    }
  }
  return target;
}

void update(const Kernels& kernels, const UpdateCase& c, DenseSample& target, const Positions& row,
            const Positions& column, Signs sign, std::span<double> buffer) {
  const DenseSample all = DenseSample::random(c.rows + 4, c.inner, 11);
  const ConstMatrixView a = all.view().row_range(2, c.rows);
  const DenseSample other = DenseSample::random(c.columns, c.inner, 12);
  const ConstMatrixView b = c.lower ? a.row_range(0, c.columns) : other.view();
  const MatrixView view = target.view();
  kernels.update({a, b, c.lower, {view.data, view.ld, row.data(), column.data()}, buffer, sign});
}

bool equal(double actual, double expected, Count inner) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  return std::fabs(actual - expected) <= support::tolerance(inner) * static_cast<double>(1 + inner);
}

/// Expects equal numbers in written entries, and NaN everywhere else.
void expect_equal(const DenseSample& actual, const DenseSample& expected, Count inner) {
  ASSERT_TRUE(actual.guards_intact());
  const ConstMatrixView view = expected.view();
  for (Index j = 0; j < view.columns; ++j) {
    for (Index i = 0; i < view.rows; ++i) {
      if (equal(actual(i, j), view(i, j), inner)) continue;
      FAIL() << actual(i, j) << " instead of " << view(i, j) << " at " << i << ", " << j;
    }
  }
}

class Update : public support::KernelTest {
 protected:
  void check_case(const UpdateCase& c) const {
    SCOPED_TRACE(testing::Message()
                 << c.rows << " x " << c.columns << " x " << c.inner << (c.lower ? " lower" : "")
                 << ", maps " << static_cast<int>(c.row_map) << ", "
                 << static_cast<int>(c.column_map));
    const std::vector<double> signs = support::random_signs(c.inner + 1, 1);  // not null
    check_signs(c, nullptr, support::fresh_buffer());
    check_signs(c, signs.data(), support::fresh_buffer());
    check_signs(c, signs.data(), {});
  }

  void check_signs(const UpdateCase& c, Signs sign, std::span<double> buffer) const {
    SCOPED_TRACE(testing::Message() << (sign ? "signs, " : "no signs, ") << buffer.size());
    const Positions row(c.rows, c.row_map);
    const Positions column(c.columns, c.column_map);
    DenseSample expected = target_of(c, row, column);
    DenseSample actual = expected;
    update(reference::kernels, c, expected, row, column, sign, {});
    update(kernels(), c, actual, row, column, sign, buffer);
    expect_equal(actual, expected, c.inner);
  }

  void check_all_maps(Index rows, Index columns, Index inner) const {
    for (const Map row_map : {Map::identity, Map::explicit_identity, Map::gapped, Map::sparse}) {
      for (const Map column_map : {Map::identity, Map::gapped}) {
        check_case({rows, columns, inner, false, row_map, column_map});
        if (rows >= columns) check_case({rows, columns, inner, true, row_map, column_map});
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST(ReferenceUpdate, ByHand) {
  DenseSample a(2, 1);
  a(0, 0) = 2, a(1, 0) = 3;
  DenseSample target(4, 5);
  const Index row[] = {1, 3};
  const Index column[] = {0, 4};
  target(1, 0) = 10, target(3, 0) = 20, target(3, 4) = 30;
  const MatrixView view = target.view();
  reference::kernels.update({a.view(), a.view(), true, {view.data, view.ld, row, column}});
  EXPECT_EQ(target(1, 0), 6);
  EXPECT_EQ(target(3, 0), 14);
  EXPECT_EQ(target(3, 4), 21);
  EXPECT_TRUE(std::isnan(target(1, 4)));
}

TEST(ReferenceUpdate, WithSignsByHand) {
  DenseSample a(2, 2);
  a(0, 0) = 2, a(1, 0) = 3, a(0, 1) = 5, a(1, 1) = 7;
  DenseSample target(2, 2);
  target(0, 0) = 10, target(1, 0) = 20, target(1, 1) = 30;
  const MatrixView view = target.view();
  const double signs[] = {1, -1};
  reference::kernels.update({a.view(), a.view(), true, {view.data, view.ld}, {}, signs});
  EXPECT_EQ(target(0, 0), 10 - 4 + 25);
  EXPECT_EQ(target(1, 0), 20 - 6 + 35);
  EXPECT_EQ(target(1, 1), 30 - 9 + 49);
}

TEST_P(Update, EqualsTheReferenceOnSmallShapes) {
  for (const Index columns : {0, 1, 7, 8, 9, 25}) {
    for (const Index more : {0, 1, 31}) {
      for (const Index inner : {0, 1, 8, 64, 65}) {
        check_all_maps(columns + more, columns, inner);
      }
    }
  }
}

TEST_P(Update, EqualsTheReferenceOnMediumShapes) {
  for (const Index inner : {9, wide}) {
    check_all_maps(64, 64, inner);
    check_all_maps(129, 31, inner);
    check_all_maps(33, 64, inner);
    check_all_maps(1, 255, inner);
  }
  check_all_maps(257, 129, 2);
}

TEST_P(Update, EqualsTheReferenceInSeveralBlocks) {
  check_case({733, 231, 19, true, Map::gapped, Map::gapped});
  check_case({733, 231, wide, true, Map::gapped, Map::gapped});
  check_case({600, 300, wide, true, Map::gapped, Map::identity});
  check_case({300, 500, wide, false, Map::explicit_identity, Map::gapped});
  check_case({1100, 257, wide, true, Map::gapped, Map::identity});
  for (const Index inner : {256, 257, 600}) {
    check_case({70, 50, inner, true, Map::gapped, Map::gapped});
    check_case({50, 9, inner, true, Map::identity, Map::identity});
    check_case({30, 41, inner, false, Map::gapped, Map::identity});
  }
  check_case({260, 260, 258, true, Map::identity, Map::gapped});
}

TEST_P(Update, EqualsTheReferenceAroundTheSizesWorthACopy) {
  for (const Index columns : {31, 32, 33, 41}) {
    for (const Index inner : {15, 16, 17}) check_all_maps(columns + 26, columns, inner);
  }
}

TEST_P(Update, EqualsTheReferenceForTallOperands) {
  check_all_maps(1300, 9, 64);
  check_case({66000, 3, 1, true, Map::gapped, Map::gapped});
  check_case({66000, 3, 1, false, Map::gapped, Map::identity});
  check_case({5000, 45, 24, true, Map::gapped, Map::gapped});
}

INSTANTIATE_TEST_SUITE_P(Flavours, Update, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

/// Kernels of one instruction set. Several workers may divide the rows of a task, and the results
/// must not depend on it.
class DividedUpdate : public support::KernelTest {
 protected:
  /// Returns the target after an update in two parts: rows [0, cut), and the others.
  DenseSample in_parts(Index cut, Index rows, Index columns, Index inner, Signs sign) const {
    const DenseSample a = DenseSample::random(rows, inner, 21);
    const DenseSample b = DenseSample::random(columns, inner, 22);
    DenseSample target = DenseSample::random(rows, columns, 23);
    const MatrixView all = target.view();
    const auto update_rows = [&](Index begin, Index count) {
      kernels().update({a.view().row_range(begin, count),
                        b.view(),
                        false,
                        {all.data + begin, all.ld},
                        support::fresh_buffer(),
                        sign});
    };
    update_rows(0, cut);
    update_rows(cut, rows - cut);
    return target;
  }
};

TEST_P(DividedUpdate, HasTheSameBits) {
  const std::vector<double> signs = support::random_signs(18, 1);
  for (const Signs sign : {Signs{nullptr}, Signs{signs.data()}}) {
    for (const Index columns : {1, 2, 3, 9, 40}) {
      for (const Index inner : {1, 2, 3, 4, 7, 10, 17}) {
        const Index rows = 19;
        const DenseSample whole = in_parts(0, rows, columns, inner, sign);
        for (const Index cut : {1, 2, 3, 5, 8, 17, 18}) {
          const DenseSample parts = in_parts(cut, rows, columns, inner, sign);
          for (Index j = 0; j < columns; ++j) {
            for (Index i = 0; i < rows; ++i) {
              ASSERT_EQ(parts(i, j), whole(i, j))
                  << columns << " columns, " << inner << ", " << cut;
            }
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, DividedUpdate,
                         testing::ValuesIn(support::flavours_without_blas()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier::internal
