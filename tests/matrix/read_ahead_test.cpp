// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/read_ahead.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using File = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

File opened(const std::string& path) { return {gzopen(path.c_str(), "rb"), gzclose_r}; }

/// Three million bytes with a long period.
std::string long_text() {
  std::string text;
  for (int k = 0; text.size() < 3'000'000; ++k) text += std::to_string(k * 2654435761U);
  return text;
}

class ReadAheadTest : public testing::Test {
 protected:
  support::TemporaryFolder folder;
  const std::string text = long_text();
};

TEST_F(ReadAheadTest, GivesTheBytesOfTheFileInPortionsOfAnySize) {
  for (const std::string& path :
       {folder.write("plain", text), folder.write_gzipped("packed.gz", text)}) {
    for (const std::size_t portion : {std::size_t{1000}, std::size_t{1} << 18, std::size_t{999'983},
                                      text.size(), text.size() + 1}) {
      const File file = opened(path);
      ReadAhead ahead(file.get());
      std::string found;
      ReadFailure failure;
      for (std::size_t got = portion; got == portion;) {
        std::string some(portion, ' ');
        got = ahead.read(some.data(), portion, failure);
        found += some.substr(0, got);
      }
      EXPECT_EQ(failure.code, Z_OK);
      EXPECT_TRUE(found == text) << path << " by " << portion;
      char more = 0;
      EXPECT_EQ(ahead.read(&more, 1, failure), 0U) << "there is no more after the end";
    }
  }
}

TEST_F(ReadAheadTest, EndsBeforeTheFileWhereNobodyReadsOn) {
  const File file = opened(folder.write("plain", text));
  ReadAhead ahead(file.get());
  char first = 0;
  ReadFailure failure;
  EXPECT_EQ(ahead.read(&first, 1, failure), 1U);
  EXPECT_EQ(first, text[0]);
}

TEST_F(ReadAheadTest, GivesWhatIsSoundBeforeItTellsOfDamage) {
  const std::string path = folder.write_gzipped("packed.gz", text);
  std::ifstream whole(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  const File file = opened(folder.write("cut.gz", bytes.substr(0, bytes.size() / 2)));
  ReadAhead ahead(file.get());
  std::string found(text.size(), ' ');
  ReadFailure failure;
  const std::size_t got = ahead.read(found.data(), found.size(), failure);
  EXPECT_EQ(failure.code, Z_BUF_ERROR);
  ASSERT_NE(failure.reason, nullptr);
  EXPECT_NE(std::string(failure.reason), "");
  EXPECT_GT(got, text.size() / 10);
  EXPECT_EQ(found.substr(0, got), text.substr(0, got));
}

}  // namespace
}  // namespace espalier::internal
