// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/permutation.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

using support::expect_error;
using Indices = std::vector<Index>;

TEST(Permutation, OfNoNumbersIsEmpty) {
  const Permutation none = Permutation::identity(0);

  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(Permutation::from_old_of({}).size(), 0);
  EXPECT_NO_THROW(check(none));
}

TEST(Permutation, IdentityMovesNothing) {
  const Permutation identity = Permutation::identity(4);

  EXPECT_EQ(identity.new_of, (Indices{0, 1, 2, 3}));
  EXPECT_EQ(identity.old_of, (Indices{0, 1, 2, 3}));
}

TEST(Permutation, FromOldNumbersMakesTheInverse) {
  const Permutation permutation = Permutation::from_old_of({2, 0, 3, 1});

  EXPECT_EQ(permutation.new_of, (Indices{1, 3, 0, 2}));
  EXPECT_NO_THROW(check(permutation));
}

TEST(Permutation, RefusesWhatIsNone) {
  expect_error<InputError>(
      [] {
        Permutation::from_old_of({0, 3, 1});
      },
      {"3 at position 1", "outside 0..2"});
  expect_error<InputError>([] { Permutation::from_old_of({0, -1, 1}); }, {"-1 at position 1"});
  expect_error<InputError>(
      [] {
        Permutation::from_old_of({2, 0, 2});
      },
      {"2 twice", "positions 0 and 2"});
}

TEST(Permutation, ComposeAppliesTheFirstThenTheSecond) {
  const Permutation first = Permutation::from_old_of({2, 0, 1});   // new numbers 1, 2, 0
  const Permutation second = Permutation::from_old_of({0, 2, 1});  // new numbers 0, 2, 1

  const Permutation both = compose(first, second);

  EXPECT_EQ(both.new_of, (Indices{2, 1, 0}));
  EXPECT_NO_THROW(check(both));
}

TEST(Permutation, ComposeRefusesDifferentSizes) {
  expect_error<UsageError>([] { compose(Permutation::identity(2), Permutation::identity(3)); },
                           {"2", "3"});
}

TEST(Permutation, CheckFindsEachKindOfDamage) {
  const Permutation good = Permutation::from_old_of({2, 0, 1});

  Permutation shorter = good;
  shorter.new_of.pop_back();
  expect_error<InputError>([&] { check(shorter); }, {"2 new numbers for 3"});

  Permutation outside = good;
  outside.new_of[1] = 3;
  expect_error<InputError>([&] { check(outside); }, {"moves 1 to 3"});

  Permutation no_inverse = good;
  std::swap(no_inverse.new_of[0], no_inverse.new_of[1]);
  expect_error<InputError>([&] { check(no_inverse); }, {"moves 0 to 2"});
}

}  // namespace
}  // namespace espalier
