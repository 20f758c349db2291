// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/coordinate_entries.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

/// Some MiB of lines with entries, comments and blank lines, so that several buffers and threads
/// share them.
class CoordinateEntriesTest : public testing::Test {
 protected:
  static constexpr Count entries = 100'000;
  static constexpr CoordinateSizes sizes{1000, 2000, entries};

  CoordinateEntriesTest() {
    std::mt19937 random(7);
    for (Count k = 0; k < entries; ++k) {
      const CoordinateEntry e{static_cast<Index>(random() % 1000),
                              static_cast<Index>(random() % 2000), random() / 1024.0};
      expected.push_back(e);
      line_of_entry.push_back(lines.size());
      lines.push_back(std::to_string(e.row + 1) + " " + std::to_string(e.column + 1) + " " +
                      std::to_string(e.value));
      if (random() % 50 == 0) lines.emplace_back(random() % 2 == 0 ? "" : "% comment");
    }
  }

  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
  static std::vector<CoordinateEntry> read(const std::string& path,
                                           const CoordinateSizes& announced) {
    TextSource source(path);
    std::vector<CoordinateEntry> found;
    read_entries(source, announced, true, [&](std::span<const CoordinateEntry> some) {
      found.insert(found.end(), some.begin(), some.end());
    });
    return found;
  }
  /// Expects a refusal at the line of this number, counted from 0.
  void expect_refused(std::size_t line, const std::string& reason,
                      const CoordinateSizes& announced = sizes) {
    const std::string where = "line " + std::to_string(line + 1) + ": ";
    support::expect_error<InputError>([&] { read(folder.write("a.mtx", text()), announced); },
                                      {where, reason});
  }

  support::TemporaryFolder folder;
  std::vector<std::string> lines;
  std::vector<std::size_t> line_of_entry;
  std::vector<CoordinateEntry> expected;
};

TEST_F(CoordinateEntriesTest, ComeInTheirOrderPlainAndGzipped) {
  for (const std::string& path :
       {folder.write("a.mtx", text()), folder.write_gzipped("a.mtx.gz", text())}) {
    const auto found = read(path, sizes);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_EQ(found[k].row, expected[k].row) << k;
      ASSERT_EQ(found[k].column, expected[k].column) << k;
      ASSERT_NEAR(found[k].value, expected[k].value, 1e-6) << k;
    }
  }
}

TEST_F(CoordinateEntriesTest, AreRefusedAtTheFirstLineThatIsNone) {
  for (const std::size_t k : {std::size_t{0}, expected.size() / 3, expected.size() - 1}) {
    const std::size_t line = line_of_entry[k];
    const std::vector<std::string> good = lines;
    lines.back() = k + 1 < expected.size() ? "1 2001 3" : lines.back();  // a later error
    lines[line] = "1 x 3";
    expect_refused(line, "'1 x 3'");
    lines[line] = "1001 1 3";
    expect_refused(line, "row 1001 is out of the range 1 to 1000");
    lines = good;
  }
}

TEST_F(CoordinateEntriesTest, AreAsManyAsAnnounced) {
  for (const Count fewer : {Count{1}, entries / 2, entries}) {
    CoordinateSizes announced = sizes;
    announced.entries -= fewer;
    const std::size_t line = line_of_entry[static_cast<std::size_t>(announced.entries)];
    expect_refused(line, "expected the " + std::to_string(announced.entries) + " entries",
                   announced);
    const std::string good = lines[line];
    lines[line] = "the next lines need not be entries";
    expect_refused(line, "found one more", announced);
    lines[line] = good;
  }
  CoordinateSizes announced = sizes;
  ++announced.entries;
  expect_refused(lines.size() - 1, "truncated: it ends here after 100000 of 100001", announced);
}

}  // namespace
}  // namespace espalier::internal
