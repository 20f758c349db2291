// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/matrix_part.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "matrix/generators.hpp"
#include "matrix/symmetric_builder.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using Places = std::map<std::pair<Index, Index>, double>;

Places places(const MatrixPart& part) {
  Places found;
  for (const auto& [row, column, value] : part.entry) found[{row, column}] = value;
  EXPECT_EQ(found.size(), part.entry.size());
  return found;
}

TEST(MatrixPart, HasEntriesOfEitherTriangleInOrder) {
  const MatrixPart part = make_part(9, {{5, 3, 2.0}, {4, 3, 1.0}, {1, 3, 7.0}, {5, 3, 0.5}});
  EXPECT_EQ(part.n, 9);
  EXPECT_EQ(part.given, std::vector<Index>{3});
  EXPECT_EQ(places(part), (Places{{{3, 1}, 7.0}, {{4, 3}, 1.0}, {{5, 3}, 2.5}}));
  EXPECT_EQ(part.entry.front().column, 1);
  EXPECT_EQ(part.duplicates_summed, 1);
}

TEST(MatrixPart, RefusesMirrorsAndSumsThatAreNoNumbers) {
  expect_error<EntryError>([] { make_part(9, {{5, 3, 1}, {3, 5, 1}}); }, {"(5, 3)", "(3, 5)"});
  const double most = std::numeric_limits<double>::max();
  expect_error<EntryError>([=] { make_part(9, {{5, 3, most}, {5, 3, most}}); }, {"(5, 3)"});
}

TEST(MatrixPart, HasFilesNumberedBeforeTheEnding) {
  EXPECT_EQ(part_file("a/A.mtx", 0), "a/A.0.mtx");
  EXPECT_EQ(part_file("A.b.mtx.gz", 12), "A.b.12.mtx.gz");
  EXPECT_EQ(part_file("A", 1), "A.1");
}

TEST(MatrixPart, IsReadAsItWasWritten) {
  const support::TemporaryFolder folder;
  const SparseMatrix a = generate_matrix("laplace2d:7");
  for (const Index parts : {1, 3, 60}) {
    const std::string file = folder.path("A" + std::to_string(parts) + ".mtx.gz");
    write_parts(file, a, parts);
    EXPECT_TRUE(is_in_parts(file));
    Places all;
    Count largest = 0;
    for (Index k = 0; k < parts; ++k) {
      const MatrixPart part = load_part(part_file(file, k));
      EXPECT_EQ(part.n, a.pattern.n);
      all.merge(places(part));
      largest = std::max(largest, std::ssize(part.entry));
    }
    EXPECT_EQ(std::ssize(all), a.pattern.entries());
    EXPECT_LE(largest, a.pattern.entries() / parts + 3);
    EXPECT_EQ((all[{8, 7}]), -1);
  }
  EXPECT_FALSE(is_in_parts(folder.path("B.mtx")));
  EXPECT_FALSE(is_in_parts(folder.path("A3.0.mtx.gz")));
  EXPECT_FALSE(is_in_parts("laplace2d:7"));
}

TEST(MatrixPart, RefusesFilesThatAreNoPart) {
  const support::TemporaryFolder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate real ";
  const auto load = [&](const std::string& text) { load_part(folder.write("A.1.mtx", text)); };
  expect_error<InputError>([&] { load(banner + "general\n2 2 1\n1 1 1\n"); },
                           {"A.1.mtx", "general"});
  expect_error<InputError>([&] { load(banner + "symmetric\n2 2 2\n1 2 1\n2 1 1\n"); },
                           {"A.1.mtx", "(2, 1)", "mirror"});
  expect_error<InputError>([&] { load(banner + "symmetric\n2 2 2\n1 2 1\n"); }, {"truncated"});
  expect_error<InputError>([&] { load_part(folder.path("A.2.mtx")); }, {"A.2.mtx"});
}

}  // namespace
}  // namespace espalier::internal
